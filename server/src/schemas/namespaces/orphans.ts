// Orphaned folders: folders of namespaces that the manifest does not list.
import { type Static, Type } from 'typebox'
import { NamespaceConfig } from './namespaces.js'
import { page } from '../pages.js'
import { Said } from '../sentence.js'
import { bytes, count, flag, text, timestamp } from '../quantities.js'
import { NamespaceName } from '../words.js'

export const OrphanId = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Name of the folder or file inside the folder of namespaces.',
  examples: ['events-7f3a'],
})

export const Orphan = Type.Object(
  {
    id: OrphanId,
    bytes: bytes('Size of the files in it', 'Devices elsewhere are not counted.'),
    files: count('Files in it.'),
    adoptable: flag('True if it can be adopted.'),
    reason: Type.Optional(text('Why it cannot be adopted.')),
    reasonSaid: Said,
    namespace: Type.Optional(
      Type.Object(
        {
          id: text('Id of the namespace in its files, in hexadecimal.'),
          createdAt: timestamp('When it was created'),
          config: NamespaceConfig,
          sets: count('Sets with settings of their own.'),
          indexes: count('Indexes.'),
        },
        { description: 'What the folder says about itself. Unset if it is not a namespace of Tessera.' },
      ),
    ),
  },
  {
    title: 'Orphan',
    description: 'A folder among those of the namespaces that the manifest does not list.',
    examples: [
      {
        id: 'events-7f3a',
        bytes: 4_718_592,
        files: 3,
        adoptable: true,
        namespace: {
          id: '7f3a9c0de1b24455',
          createdAt: '2026-01-31T12:00:00.000Z',
          config: { name: 'events', storage: { engine: 'device' } },
          sets: 1,
          indexes: 0,
        },
      },
    ],
  },
)
export type Orphan = Static<typeof Orphan>

export const OrphanPage = page(Orphan, 'OrphanPage', 'orphaned folders')

export const AdoptRequest = Type.Object(
  {
    name: Type.Optional({
      ...NamespaceName,
      description: 'Name to list the namespace under. Unset: its own name.',
    }),
  },
  {
    title: 'AdoptRequest',
    description: 'How to adopt the folder.',
    additionalProperties: false,
    examples: [{ name: 'events-restored' }],
  },
)
