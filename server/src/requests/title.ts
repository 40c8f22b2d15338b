// Texts for people: names of saved queries, alert rules and runs of the load generator, and reasons of changes.
import { GatewayError } from '../errors.js'
import { say } from '../sentences/sentence.js'

/**
 * Control characters, halves of characters, ends of lines, and what is invisible or turns the text around it. The two
 * joiners are invisible too, but Persian words and many emoji need them.
 */
const UNPRINTABLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
const VISIBLE = /[^\p{White_Space}\p{C}]/u

/** @throws GatewayError `field_invalid` */
export const checkTitle = (name: string): void => checkText(name, 'name')

/** @throws GatewayError `field_invalid` */
export function checkText(text: string, field: string): void {
  const where = { field }
  if (!VISIBLE.test(text))
    throw new GatewayError('field_invalid', say('{field} must have a visible character', { field }), where)
  const found = UNPRINTABLE.exec(text)?.[0]
  if (found === undefined) return
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  throw new GatewayError(
    'field_invalid',
    say('{field} must have no control characters and no invisible ones, got U+{code}; take it out', { field, code }),
    where,
  )
}
