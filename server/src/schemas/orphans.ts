// Folders among those of the namespaces that belong to none.
import { type Static, Type } from 'typebox'
import { NamespaceConfig } from './namespaces.js'
import { page } from './pages.js'
import { Bytes, Count, Timestamp } from './quantities.js'
import { Name } from './words.js'

export const OrphanId = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'name of the folder, or the file, in the folder of namespaces',
})

export const Orphan = Type.Object(
  {
    id: OrphanId,
    bytes: { ...Bytes, description: 'of the files in it; of devices elsewhere nothing is counted' },
    files: Count,
    adoptable: Type.Boolean(),
    reason: Type.Optional(Type.String({ description: 'why it cannot be adopted' })),
    namespace: Type.Optional(
      Type.Object(
        {
          id: Type.String({ description: 'hexadecimal; the id in its files' }),
          createdAt: Timestamp,
          config: NamespaceConfig,
          sets: { ...Count, description: 'sets with settings of their own' },
          indexes: Count,
        },
        { description: 'what the folder says of itself; absent if it is not one of ours' },
      ),
    ),
  },
  { title: 'Orphan', description: 'what lies among the folders of namespaces, and is in no manifest' },
)
export type Orphan = Static<typeof Orphan>

export const OrphanPage = page(Orphan, 'OrphanPage')

export const AdoptRequest = Type.Object(
  { name: Type.Optional(Name) },
  { title: 'AdoptRequest', additionalProperties: false, examples: [{ name: 'events-restored' }] },
)
