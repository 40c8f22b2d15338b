import createClient from 'openapi-fetch'
import { recordedFetch } from './http'
import { problemFrom } from './problem'
import type { paths } from './schema.gen'

/** The REST API, typed from the gateway's OpenAPI document. */
export const client = createClient<paths>({
  baseUrl: location.origin,
  credentials: 'same-origin',
  fetch: recordedFetch,
})

interface Answer<T> {
  data?: T | undefined
  error?: unknown
  response: Response
}

/** Returns the body of the answer, or throws its problem. */
export function unwrap<T>({ data, error, response }: Answer<T>): NonNullable<T> {
  if (!response.ok || error !== undefined) throw problemFrom(response.status, error)
  return data as NonNullable<T>
}

/** As `unwrap`, with the version that the answer names. */
export function unwrapVersioned<T>(answer: Answer<T>): NonNullable<T> & { etag: string } {
  return { ...unwrap(answer), etag: answer.response.headers.get('etag') ?? '*' }
}
