import { type Exact, isExactObject, LosslessNumber, parseExact, printExact } from '../json'
import { aggregateRowsOf } from './aggregate'
import { columnsOf, groupOf, limitOf, orderOf, routeOf, setOf, unnestOf, indexUseOf } from './request-fields'

/** A request as an object; numbers keep every digit. */
export interface Request {
  [name: string]: Exact
}

export const emptyRequest = printExact({ limit: new LosslessNumber('100') }, 2)

/** Longest request in an address, bytes. */
export const ADDRESS_MAX = 8192

/** undefined if the text is not a JSON object. */
export function readRequest(text: string): Request | undefined {
  try {
    const value = parseExact(text)
    return isExactObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The set that a request names; undefined if it names none, or is no request yet. */
export function setNameOf(text: string): string | undefined {
  const { set } = readRequest(text) ?? {}
  return typeof set === 'string' ? set : undefined
}

/** A member's JSON text on one line; empty if unset. */
export function memberText(request: Request, name: string): string {
  const value = request[name]
  return value === undefined ? '' : printExact(value)
}

/** The request's text with one member replaced in place; an empty text removes it. The others stay unchanged. */
export function withMember(request: Request, name: string, text: string): string {
  const members = Object.entries(request)
  if (text === '') return printExact(fromEntries(members.filter(([other]) => other !== name)), 2)
  const value = parseExact(text)
  const known = members.some(([other]) => other === name)
  const next = known
    ? members.map(([other, old]): [string, Exact] => [other, other === name ? value : old])
    : [...members, [name, value] as [string, Exact]]
  return printExact(fromEntries(next), 2)
}

const fromEntries = (members: [string, Exact][]): Request => Object.fromEntries(members)

/** The readers of the form's fields; undefined if a field cannot show the member. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  set: setOf,
  // Any filter can be shown; tests that are not rows appear as JSON.
  where: (text) => text,
  select: columnsOf,
  unnest: unnestOf,
  route: routeOf,
  order: orderOf,
  group: groupOf,
  aggregate: aggregateRowsOf,
  useIndex: indexUseOf,
  limit: limitOf,
}

/** Whether the form has a field for a member and can show it. */
export function isShown(request: Request, name: string): boolean {
  const read = Object.hasOwn(readers, name) ? readers[name] : undefined
  return read?.(memberText(request, name)) !== undefined
}

/** Members that only the JSON shows; the form keeps them. */
export function keptMembers(request: Request): string[] {
  return Object.keys(request).filter((name) => !isShown(request, name))
}

/** Whether a request fits into an address. */
export const fitsAddress = (text: string): boolean => encodeURIComponent(JSON.stringify(text)).length <= ADDRESS_MAX

/** JSON text on one line, as short as possible; other text stays unchanged. */
export function compactRequest(text: string): string {
  const request = readRequest(text)
  return request === undefined ? text : printExact(request)
}

/** Indented, as people read it. */
export function prettyRequest(text: string): string {
  const request = readRequest(text)
  return request === undefined ? text : printExact(request, 2)
}
