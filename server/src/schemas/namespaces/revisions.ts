// Revisions of the configuration of a namespace.
import { type Static, Type } from 'typebox'
import { SettingChange } from './changes.js'
import { NamespaceConfig } from './namespaces.js'
import { page } from '../pages.js'
import { text, timestamp } from '../quantities.js'
import { choice, Reason } from '../words.js'

export const RevisionNumber = Type.Integer({
  minimum: 1,
  description: 'Number of the revision. The first one of a namespace has 1.',
  examples: [3],
})

export const causes = ['created', 'changed', 'restored', 'migrated', 'found'] as const

/** What every revision has, whatever it is a revision of. */
export const revisionFacts = {
  number: RevisionNumber,
  at: timestamp('When it was made'),
  who: text('Who made it, as in the audit log. `outside`: it was made while the server did not see it.'),
  cause: choice([...causes], {
    description:
      '`created`: it is the first one. `changed`: somebody changed settings. `restored`: somebody rolled back to an older ' +
      'revision. `migrated`: a migration or a move changed it. `found`: the server found it, for example at its start, ' +
      'or after a restore of a backup.',
  }),
  reason: Type.Optional(text('Why, in the words of who made it.')),
  request: Type.Optional(text('Id of the request, as in `X-Request-Id`.')),
  restored: Type.Optional(Type.Integer({ minimum: 1, description: 'The revision that was rolled back to.' })),
  changes: Type.Array(SettingChange, { description: 'What differs from the revision before.' }),
}

const example = {
  number: 3,
  at: '2026-11-29T10:15:00.000Z',
  who: 'user:ada',
  cause: 'changed' as const,
  reason: 'Sessions end after a day.',
  request: '2db83d97-1',
  changes: [{ field: 'defaultTtlSeconds', from: 0, to: 86_400 }],
}

export const ConfigRevision = Type.Object(revisionFacts, {
  title: 'ConfigRevision',
  description: 'A revision of the configuration of a namespace, without the settings that did not change.',
  examples: [example],
})
export type ConfigRevision = Static<typeof ConfigRevision>

export const WholeConfigRevision = Type.Object(
  { ...revisionFacts, config: NamespaceConfig },
  {
    title: 'WholeConfigRevision',
    description: 'A revision of the configuration of a namespace, with all settings.',
    examples: [
      {
        ...example,
        config: {
          name: 'shop',
          storage: { engine: 'memory' },
          segments: 256,
          durability: 'none',
          defaultTtlSeconds: 86_400,
        },
      },
    ],
  },
)
export type WholeConfigRevision = Static<typeof WholeConfigRevision>

export const ConfigRevisionPage = page(ConfigRevision, 'ConfigRevisionPage', 'revisions, newest first')

export const RestoreRevisionRequest = Type.Object(
  { reason: Reason },
  {
    title: 'RestoreRevisionRequest',
    description: 'Why you roll back.',
    additionalProperties: false,
    examples: [{ reason: 'Writes were refused at 80%.' }],
  },
)
