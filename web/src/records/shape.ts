import { type Exact, isExactObject } from './json'
import { readRequest } from './request'

/** What the lines of an answer are. */
export type Shape = 'records' | 'rows' | 'count' | 'figures' | 'reduced' | 'groups'

const ends: Readonly<Record<string, Shape>> = { count: 'count', reduce: 'reduced', groupBy: 'groups' }

/** What is answered to the JSON text of a scan, a query or a stream: the lines themselves may have columns of any name. */
export function shapeOf(body: string): Shape {
  const request = readRequest(body) ?? {}
  const { steps } = request
  if (!Array.isArray(steps)) return 'group' in request ? 'groups' : 'aggregate' in request ? 'figures' : 'records'
  const kinds = steps.map(kindOf)
  const end = ends[kinds.at(-1) ?? '']
  return end ?? (kinds.some((kind) => kind === 'map' || kind === 'flatMap') ? 'rows' : 'records')
}

const kindOf = (step: Exact): string => (isExactObject(step) ? (Object.keys(step)[0] ?? '') : '')
