// Dropped namespaces that can be restored.
import { type Static, Type } from 'typebox'
import { NamespaceConfig } from './namespaces.js'
import { page } from '../pages.js'
import { bytes, count, text, timestamp } from '../quantities.js'
import { NamespaceName } from '../words.js'

export const DroppedId = Type.String({
  minLength: 1,
  maxLength: 20,
  description: 'Id of the dropped namespace. No other namespace of the server has had it.',
  examples: ['7'],
})

export const Dropped = Type.Object(
  {
    id: DroppedId,
    namespaceId: text('Id of the namespace. A restore brings it back.'),
    name: text('Name of the namespace when it was dropped. Another one may have it by now.'),
    droppedAt: timestamp('When it was dropped'),
    until: timestamp('When it is removed for good'),
    records: Type.Optional(
      count('Records that a restore brings back. Unset if it was not open, or if a cluster has the records.'),
    ),
    memoryBytes: bytes('Memory that it holds', 'Only records in memory need any.'),
    diskBytes: bytes('Size of its data files', 'They stay where they are, and so do their devices.'),
    indexes: count('Indexes.'),
    config: NamespaceConfig,
  },
  {
    title: 'Dropped',
    description: 'A namespace that was dropped and can be restored.',
    examples: [
      {
        id: '7',
        namespaceId: '0f4c1f6f2f1f4c0a9f3e8f0b7d6a5c41',
        name: 'events',
        droppedAt: '2026-01-31T12:00:00.000Z',
        until: '2026-01-31T12:10:00.000Z',
        records: 66_244,
        memoryBytes: 0,
        diskBytes: 16_777_216,
        indexes: 1,
        config: { name: 'events', storage: { engine: 'device' } },
      },
    ],
  },
)
export type Dropped = Static<typeof Dropped>

export const DroppedPage = page(Dropped, 'DroppedPage', 'dropped namespaces')

export const RestoreDroppedRequest = Type.Object(
  {
    name: Type.Optional({
      ...NamespaceName,
      description: 'Name to restore the namespace under. Unset: its own name.',
    }),
  },
  {
    title: 'RestoreDroppedRequest',
    description: 'How to restore the namespace.',
    additionalProperties: false,
    examples: [{ name: 'events-restored' }],
  },
)
