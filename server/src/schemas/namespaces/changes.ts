// Changes of settings: what they were, what they are, and when that holds.
import { type Static, Type } from 'typebox'
import { text } from '../quantities.js'
import { Said } from '../sentence.js'
import { choice } from '../words.js'

const settingChange = {
  field: Type.String({
    description: 'The setting, with those that it is in.',
    examples: ['defaultTtlSeconds', 'storage.cacheBytes'],
  }),
  from: Type.Optional(Type.Unknown({ description: 'Its value before. Unset: it had none.' })),
  to: Type.Optional(Type.Unknown({ description: 'Its value after. Unset: it has none.' })),
}

export const SettingChange = Type.Object(settingChange, {
  title: 'SettingChange',
  description: 'A setting that changed.',
  examples: [{ field: 'defaultTtlSeconds', from: 0, to: 86_400 }],
})
export type SettingChange = Static<typeof SettingChange>

export const PlannedChange = Type.Object(
  {
    ...settingChange,
    applies: choice(['at_once', 'migration', 'creation'], {
      description:
        '`at_once`: it holds as soon as it is changed. `migration`: only a migration changes it, so it stays as it is. ' +
        '`creation`: only a new namespace can have it, so it stays as it is.',
    }),
    effect: text('What it does to records and requests, and what it costs, in a few sentences.'),
    said: Said,
  },
  {
    title: 'PlannedChange',
    description: 'A setting that a change would change, or has changed, and what that does.',
    examples: [
      {
        field: 'defaultTtlSeconds',
        from: 0,
        to: 86_400,
        applies: 'at_once',
        effect: 'Records that are written from now on get this time to live. Stored records keep theirs.',
      },
    ],
  },
)
export type PlannedChange = Static<typeof PlannedChange>
