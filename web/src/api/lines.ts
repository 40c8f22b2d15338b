const NEWLINE = 0x0a

export interface LineSink {
  /** called with complete lines, at most `keep` in total */
  onLines: (lines: string[]) => void
  /** all lines and bytes so far, kept or not */
  onCount: (count: number, bytes: number) => void
}

/** Reads lines of a streamed body: the first `keep` as text, the rest only counted. Memory stays bounded. */
export async function readLines(body: ReadableStream<Uint8Array>, keep: number, sink: LineSink): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  let given = 0
  let count = 0
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (value !== undefined) {
      bytes += value.length
      for (let at = value.indexOf(NEWLINE); at !== -1; at = value.indexOf(NEWLINE, at + 1)) count++
    }
    if (given < keep) {
      rest += decoder.decode(value, { stream: !done })
      const parts = rest.split('\n')
      rest = parts.pop() ?? ''
      if (done && rest !== '') {
        parts.push(rest)
        count++
      }
      const fresh = parts.filter((line) => line !== '').slice(0, keep - given)
      given += fresh.length
      if (fresh.length > 0) sink.onLines(fresh)
      if (given >= keep) rest = ''
    }
    sink.onCount(count, bytes)
    if (done) return
  }
}
