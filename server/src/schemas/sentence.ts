import { Type } from 'typebox'
import type { Sentence as Told } from '../sentences/sentence.js'
import { text } from './quantities.js'

export const Sentence = Type.Object(
  {
    message: text(
      'The sentence in English, in the ICU message format: `there is no namespace "{name}"`. It is the key of its translations.',
    ),
    values: Type.Optional(
      Type.Unsafe<NonNullable<Told['values']>>({
        type: 'object',
        additionalProperties: true,
        description:
          'Its values by their names: a text, a number, another `Sentence`, or an amount such as ' +
          '`{"amount": 1.5, "unit": "ms"}` in `ms`, `bytes`, `percent`, `per second` or `count`, or a point in time: ' +
          '`{"time": "2026-01-31T12:00:00Z"}`.',
      }),
    ),
  },
  {
    title: 'Sentence',
    description: 'A sentence of an answer, for clients that say it in another language. Unset: it has no values.',
  },
)

/** Stands beside a sentence in English. */
export const Said = Type.Optional(Sentence)
