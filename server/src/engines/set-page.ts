// A page of the sets of a namespace, as an engine gives it.
import type { RecordSet } from '../schemas/namespaces/sets.js'

/** A place between two sets of an order. */
export interface SetPlace {
  /** Records or bytes; 0 in the order of the names. */
  size: number
  name: string
}

export interface SetPageQuery {
  /** A part of the name, in either case. */
  part?: string
  /** What the name begins with. */
  start?: string
  /** Beginnings of names, one of which a set must have. */
  within?: string[]
  sort: 'name' | 'records' | 'bytes'
  descending: boolean
  /** Only sets behind this place. */
  after?: SetPlace
  /** 1 to 5,000. */
  limit: number
}

export interface SetPage {
  sets: RecordSet[]
  /** Sets that were searched for, on all pages. */
  matching: number
  /** What all of those hold together. */
  records: number
  bytes: number
  /** Unset on the last page. */
  next?: SetPlace
}
