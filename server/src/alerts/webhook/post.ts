// One attempt to hand a notice over: no redirects, no kept connection, an end after a timeout.
import { request as plainRequest } from 'node:http'
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

export function post(
  target: string,
  body: string,
  headers: Record<string, string>,
  { allowPrivate, timeoutMs, signal, names }: PostOptions,
): Promise<Attempt> {
  return new Promise((resolve) => {
    const lost = (error: Error): void => {
      const { code, message } = error as NodeJS.ErrnoException
      // An address that may not be reached stays so; everything else may pass.
      resolve({ failure: { message, final: isErrorCode(code) } })
    }
    let url: URL
    try {
      // A setting may have changed since the address was taken.
      url = checkUrl(target, allowPrivate)
    } catch (error) {
      return lost(error as Error)
    }
    const send = url.protocol === 'https:' ? secureRequest : plainRequest
    const limit = AbortSignal.timeout(timeoutMs)
    const request = send(
      url,
      {
        method: 'POST',
        agent: false,
        signal: AbortSignal.any([signal, limit]),
        headers: { ...headers, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) },
        // Node resolves no literal address; `checkUrl` has seen it.
        ...(isIP(hostOf(url)) === 0 && { lookup: guardedLookup(allowPrivate, names) }),
      },
      (response) => {
        const { statusCode: status = 0 } = response
        // What it says is of no use, and may be endless.
        response.destroy()
        if (status >= 200 && status < 300) return resolve({ status })
        const final = status < 500 && status !== 408 && status !== 425 && status !== 429
        resolve({ status, failure: { message: `the receiver answered ${status}`, final } })
      },
    )
    request.on('error', (error) => {
      const late = limit.aborted ? new Error(`the receiver did not answer within ${timeoutMs} ms`) : error
      lost(late)
    })
    request.end(body)
  })
}
