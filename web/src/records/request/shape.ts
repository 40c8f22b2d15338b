import { type Exact, isExactObject } from '../json'
import { readRequest } from './request'

/** The kind of the lines of an answer. */
export type Shape = 'records' | 'rows' | 'count' | 'figures' | 'reduced' | 'groups'

const ends: Readonly<Record<string, Shape>> = { count: 'count', reduce: 'reduced', groupBy: 'groups' }

/** The kind of answer to a request's JSON text. The lines cannot tell, because columns may have any name. */
export function shapeOf(body: string): Shape {
  const request = readRequest(body) ?? {}
  const { steps } = request
  if (!Array.isArray(steps)) return 'group' in request ? 'groups' : 'aggregate' in request ? 'figures' : 'records'
  const kinds = steps.map(kindOf)
  const end = ends[kinds.at(-1) ?? '']
  return end ?? (kinds.some((kind) => kind === 'map' || kind === 'flatMap') ? 'rows' : 'records')
}

const kindOf = (step: Exact): string => (isExactObject(step) ? (Object.keys(step)[0] ?? '') : '')
