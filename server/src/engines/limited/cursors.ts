// Cursors of callers who have only some sets of a namespace. A cursor tells how many records lie before it, those of other
// sets included, so they get it sealed.
import { GatewayError } from '../../errors.js'
import { Sealer } from '../../sealed.js'
import { say } from '../../sentences/sentence.js'

/** A restart ends all cursors. */
const sealer = new Sealer()

export const seal = (cursor: string): string => sealer.seal(cursor)

/** @throws GatewayError `cursor_invalid` */
export function unseal(text: string): string {
  const cursor = sealer.open(text)
  if (cursor === undefined)
    throw new GatewayError(
      'cursor_invalid',
      say('the cursor does not belong to this list; start again without a cursor'),
      {
        field: 'cursor',
      },
    )
  return cursor
}
