/** The script that every page starts with has a hash in its name: of what is in it, and so of the names of all others. */
const SCRIPT = /\/frame-([\w-]{8})\.js$/

/** Names the build that runs in this browser, which may be older than the server. */
export function consoleBuild(): string {
  const sources = Array.from(document.querySelectorAll<HTMLScriptElement>('script[src]'), ({ src }) => src)
  const [, hash] = sources.map((source) => SCRIPT.exec(source)).find((found) => found !== null) ?? []
  return hash ?? '–'
}
