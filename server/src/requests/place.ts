// Records with and without a set. The same routes serve both.
import { type TObject, Type } from 'typebox'
import { NamespaceName, SetName } from '../schemas/words.js'

export interface Place {
  /** prefix of the routes of its records */
  base: string
  params: TObject
  /** suffix of an operation's id */
  suffix: string
  /** suffix of an operation's summary */
  words: string
}

export const places: readonly Place[] = [
  {
    base: '/namespaces/:ns/sets/:set',
    params: Type.Object({ ns: NamespaceName, set: SetName }),
    suffix: '',
    words: '',
  },
  {
    base: '/namespaces/:ns',
    params: Type.Object({ ns: NamespaceName }),
    suffix: 'WithoutSet',
    words: ' without a set',
  },
]

export interface RecordAddress {
  ns: string
  /** empty for records without a set */
  set: string
  key: string
}

/** The address in a request's path; the schema of the route has checked it. */
export function addressOf(params: unknown): RecordAddress {
  const { ns, set = '', key = '' } = params as { ns: string; set?: string; key?: string }
  return { ns, set, key }
}
