// Edge and Opera also name Chrome, and Chrome names Safari, so the order matters.
const BROWSERS = [
  ['Edge', /\bEdg\w*\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\bFirefox\//],
  ['Chrome', /\b(Headless)?Chrom(e|ium)\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
] as const
const SYSTEMS = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(iPhone|iPad)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const

/** A short name for the text with which a browser names itself. */
export function browserName(userAgent = ''): string {
  const named = (names: readonly (readonly [string, RegExp])[]) => names.find(([, form]) => form.test(userAgent))?.[0]
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)]
  if (browser === undefined) return userAgent === '' ? 'unknown' : userAgent.slice(0, 24)
  return system === undefined ? browser : `${browser}, ${system}`
}
