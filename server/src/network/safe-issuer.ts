// Where a provider of sign-in may be: anybody on the way to another address could change what it says.

/** HTTPS, or HTTP on this machine. */
export function isSafeIssuer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:') return true
  return url?.protocol === 'http:' && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)
}
