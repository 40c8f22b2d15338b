import { Type } from 'typebox'
import { text } from './quantities.js'
import { Said } from './sentence.js'

/** Why something went wrong, of what an answer is about. */
export const failure = (description: string) =>
  Type.Object(
    {
      code: text('Error code, listed in docs/errors.md.'),
      message: text('What went wrong, in one sentence.'),
      said: Said,
    },
    { description },
  )
