import type { components } from './schema.gen.js'

type Sentence = components['schemas']['Sentence']

/** A failure of the API (RFC 9457), or of the way to it, with a stable code. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  /** HTTP status; 0: there was no answer, or it broke off. */
  readonly status: number
  /** Branch on this. */
  readonly code: string
  readonly title: string
  readonly detail: string
  /** The field, parameter or header at fault. */
  readonly field: string | undefined
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
  /** Id of the request in the log of the server. */
  readonly requestId: string | undefined
  /** What `detail` was made of, to say it in another language. Unset: it has no values. */
  readonly said: Sentence | undefined

  constructor(
    status: number,
    code: string,
    title: string,
    detail: string,
    field: string | undefined,
    retryable: boolean,
    requestId: string | undefined,
    { said, ...options }: ErrorOptions & { said?: Sentence | undefined } = {},
  ) {
    super(detail || title, options)
    this.status = status
    this.code = code
    this.title = title
    this.detail = detail
    this.field = field
    this.retryable = retryable
    this.requestId = requestId
    this.said = said
  }
}

/** Longest text of an answer that is no problem of the API. */
const TEXT_MAX = 300

/** Reads a problem from a decoded body. Anything else becomes a problem with its own code. */
export function problemFrom(status: number, body: unknown): ApiProblem {
  const members: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {}
  const member = (name: string): string | undefined => {
    const { [name]: value } = members
    return typeof value === 'string' ? value : undefined
  }
  return new ApiProblem(
    status,
    member('code') ?? `http_${status}`,
    member('title') ?? `The gateway answered ${status}`,
    // The compatible API says `message`.
    member('detail') ?? member('message') ?? (typeof body === 'string' ? body.slice(0, TEXT_MAX) : ''),
    member('field'),
    members['retryable'] === true,
    member('requestId'),
    { said: sentenceIn(members['said']) },
  )
}

const sentenceIn = (value: unknown): Sentence | undefined =>
  typeof value === 'object' && value !== null && 'message' in value ? (value as Sentence) : undefined

/** Reads the problem of an answer that is no success. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const text = await response.text()
  try {
    return problemFrom(response.status, JSON.parse(text) as unknown)
  } catch {
    return problemFrom(response.status, text)
  }
}

/** The server could not be reached, or closed the connection without an answer. */
export const unreachable = (cause?: unknown): ApiProblem =>
  new ApiProblem(
    0,
    'gateway_unreachable',
    'The gateway did not answer',
    'The connection failed or closed.',
    undefined,
    true,
    undefined,
    { cause },
  )

/** An answer that ended before its end. */
export const streamBroken = (
  detail = 'The answer ended before its end. Its job, if it has one, says why.',
  cause?: unknown,
): ApiProblem =>
  new ApiProblem(0, 'stream_broken', 'The stream ended early', detail, undefined, true, undefined, { cause })
