import { type Static, Type } from 'typebox'
import { text } from '../quantities.js'
import { Sentence } from '../sentence.js'
import { choice } from '../words.js'

export const AlertHealth = Type.Object(
  {
    tone: choice(['good', 'warn', 'bad'], {
      description: '`bad`: a critical alert fires, or a target is missed. `warn`: another alert fires.',
    }),
    text: text('The health in one sentence: `Healthy`, or what is wrong.'),
    reasons: Type.Array(Type.String(), { description: 'What is wrong, most severe first.' }),
    said: Type.Optional(
      Type.Array(Sentence, { description: '`reasons` as messages with values, to say them in another language.' }),
    ),
  },
  { title: 'AlertHealth', description: 'The health that the alerts add up to.' },
)
export type AlertHealth = Static<typeof AlertHealth>
