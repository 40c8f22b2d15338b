/** The name of the script that every page starts with has a hash of what is in it. */
const SCRIPT = /\/start-([\w-]{8})\.js$/

/** Names the build that runs in this browser, which may be older than the server. */
export function consoleBuild(): string {
  const sources = Array.from(document.querySelectorAll<HTMLScriptElement>('script[src]'), ({ src }) => src)
  const [, hash] = sources.map((source) => SCRIPT.exec(source)).find((found) => found !== null) ?? []
  return hash ?? '–'
}
