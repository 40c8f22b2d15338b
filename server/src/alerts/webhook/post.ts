// One attempt to hand a notice over: no redirects, no kept connection, an end after a timeout.
import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { isIP } from 'node:net'
import { isErrorCode } from '../../error-table.js'
import { checkUrl, guardedLookup, hostOf, type Resolve } from './address.js'

export interface Attempt {
  /** Absent: there was no answer. */
  status?: number
  /** Absent: it was taken. */
  failure?: { message: string; final: boolean }
}

export interface PostOptions {
  allowPrivate: boolean
  timeoutMs: number
  signal: AbortSignal
  names?: Resolve
}

/** Resolves within `timeoutMs`, whatever the receiver does, and never rejects: others wait behind it. */
export function post(
  target: string,
  body: string,
  headers: Record<string, string>,
  { allowPrivate, timeoutMs, signal, names }: PostOptions,
): Promise<Attempt> {
  return new Promise((resolve) => {
    let request: ClientRequest | undefined
    /** The first end counts. */
    const end = (attempt: Attempt): void => {
      clearTimeout(limit)
      resolve(attempt)
      // What it says is of no use, and may be endless.
      request?.destroy()
    }
    const lost = ({ code, message }: NodeJS.ErrnoException): void =>
      // An address that may not be reached stays so; everything else may pass.
      end({ failure: { message, final: isErrorCode(code) } })
    const answered = ({ statusCode: status = 0 }: Pick<IncomingMessage, 'statusCode'>): void => {
      if (status >= 200 && status < 300) return end({ status })
      end({ status, failure: { message: `the receiver answered ${status}`, final: !isTriedAgain(status) } })
    }
    const limit = setTimeout(() => lost(new Error(`the receiver did not answer within ${timeoutMs} ms`)), timeoutMs)
    try {
      // A setting may have changed since the address was taken.
      const url = checkUrl(target, allowPrivate)
      const send = url.protocol === 'https:' ? secureRequest : plainRequest
      request = send(url, {
        method: 'POST',
        agent: false,
        signal,
        headers: { ...headers, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) },
        // Node resolves no literal address; `checkUrl` has seen it.
        ...(isIP(hostOf(url)) === 0 && { lookup: guardedLookup(allowPrivate, names) }),
      })
      request.on('response', answered)
      request.on('information', (answer) => {
        // Others of its kind come before the answer.
        if (answer.statusCode === SWITCHING) answered(answer)
      })
      request.on('upgrade', (answer, socket) => {
        socket.destroy()
        answered(answer)
      })
      request.on('error', lost)
      // Also without one of the events above.
      request.on('close', () => lost(new Error('the receiver closed the connection without an answer')))
      request.end(body)
    } catch (error) {
      lost(error as Error)
    }
  })
}

const SWITCHING = 101

const isTriedAgain = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || (status >= 500 && status < 600)
