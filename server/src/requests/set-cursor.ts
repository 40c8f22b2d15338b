// Cursors of lists of sets: the place behind the last set of a page, and the order that it is a place of.
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import type { SetPlace } from '../engines/set-page.js'
import { GatewayError } from '../errors.js'
import { say } from '../sentences/sentence.js'

const Cursor = Type.Tuple([Type.String(), Type.String(), Type.Integer({ minimum: 0 }), Type.String({ maxLength: 63 })])

export const cursorOf = ({ size, name }: SetPlace, sort: string, order: string): string =>
  Buffer.from(JSON.stringify([sort, order, size, name])).toString('base64url')

/** @throws GatewayError `cursor_invalid`, also for a cursor of another order */
export function placeOf(cursor: string, sort: string, order: string): SetPlace {
  const read = parsed(Buffer.from(cursor, 'base64url').toString())
  if (Check(Cursor, read) && read[0] === sort && read[1] === order) return { size: read[2], name: read[3] }
  throw new GatewayError(
    'cursor_invalid',
    say('the cursor does not belong to this list and this order; start again without a cursor'),
    { field: 'cursor' },
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
