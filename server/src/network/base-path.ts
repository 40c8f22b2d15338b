// The path below which a proxy serves this server. Requests come with it or, if the proxy takes it away, without it.
import type { RequestListener } from 'node:http'

/** First parts of paths of this server itself: below one of them, a request could mean either. */
const OWN = ['api', 'v1', 'v2', 'ycsb', 'docs', 'login', 'assets', 'healthz', 'readyz', 'metrics'] as const

const own: ReadonlySet<string> = new Set(OWN)

/** Whether it begins with a path of this server itself. */
export const isOwnPath = (base: string): boolean => own.has(base.split('/')[1] ?? '')

/** The handler to call for each request instead of `handle`, which sees paths below the base alone. */
export function below(base: string, handle: RequestListener): RequestListener {
  if (base === '') return handle
  return (request, response) => {
    request.url = withoutBase(request.url ?? '', base)
    handle(request, response)
  }
}

/** Anything that is not below the base stays as it is: the proxy may have taken it away. */
export function withoutBase(url: string, base: string): string {
  // A proxy may send the whole address.
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '')
  if (!path.startsWith(base)) return url
  const rest = path.slice(base.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : url
}
