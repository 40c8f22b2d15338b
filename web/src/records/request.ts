import { aggregateRowsOf } from './aggregate'
import { columnsOf, groupOf, limitOf, orderOf, routeOf, setOf, unnestOf, indexUseOf } from './request-fields'
import { type Exact, isExactObject, LosslessNumber, parseExact, printExact } from './json'

/** A query's request: an object whose numbers keep every digit. */
export interface Request {
  [name: string]: Exact
}

export const emptyRequest = printExact({ limit: new LosslessNumber('100') }, 2)

/** Longest request that an address carries, bytes of the address. */
export const ADDRESS_MAX = 8192

/** undefined when the text is no JSON object. */
export function readRequest(text: string): Request | undefined {
  try {
    const value = parseExact(text)
    return isExactObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A member's JSON text on one line; empty where there is none. */
export function memberText(request: Request, name: string): string {
  const value = request[name]
  return value === undefined ? '' : printExact(value)
}

/** The request's text with a member replaced at its place; an empty text removes it. The others stay as they are. */
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

/** What each field of the form reads; undefined where it cannot show what is there. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  set: setOf,
  // Any filter can be shown: what is no row stands in it as JSON.
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

/** Whether the form has a field for a member and can show what is there. */
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

/** On one line, as short as it can be; what is no JSON stays as it is. */
export function compactRequest(text: string): string {
  const request = readRequest(text)
  return request === undefined ? text : printExact(request)
}

/** Indented, as people read it. */
export function prettyRequest(text: string): string {
  const request = readRequest(text)
  return request === undefined ? text : printExact(request, 2)
}
