// NDJSON: lines of a streamed answer, one at a time.
import { parseJson } from './json.js'
import { ApiProblem, streamBroken } from './problem.js'

/** Most characters of one line. They are in memory until the end of it is there. */
const LINE_MAX = 256 * 1024 * 1024

/** The lines of an answer. They can be read once. */
export interface Lines<Line> extends AsyncIterable<Line> {
  /** The job of the work: progress, change of threads, abort, summary. */
  readonly jobId: string | undefined
  readonly response: Response
}

export function linesOf<Line>(response: Response, signal?: AbortSignal): Lines<Line> {
  return {
    jobId: response.headers.get('x-job-id') ?? undefined,
    response,
    [Symbol.asyncIterator]: () => parsed<Line>(textLines(response, signal)),
  }
}

async function* parsed<Line>(lines: AsyncIterable<string>): AsyncGenerator<Line, void, undefined> {
  for await (const line of lines) yield parseJson(line) as Line
}

/**
 * The lines of an answer as text, without empty ones.
 *
 * @throws ApiProblem with the code of the server if it gave up, `stream_broken` if it ended in another way
 */
export async function* textLines(response: Response, signal?: AbortSignal): AsyncGenerator<string, void, undefined> {
  if (response.body === null) return
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  // A line is passed on when the next one is there: the last one may say why there are no more.
  let held: string | undefined
  try {
    for (;;) {
      const { done, value } = await readFrom(reader, held, signal)
      rest += decoder.decode(value, { stream: !done })
      if (rest.length > LINE_MAX) throw streamBroken(`A line is longer than ${LINE_MAX} characters.`)
      const lines = rest.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line === '') continue
        if (held !== undefined) yield held
        held = line
      }
      if (done) break
    }
    if (rest !== '') throw reasonIn(rest) ?? streamBroken('The last line is not whole.')
    const reason = reasonIn(held)
    if (reason !== undefined) throw reason
    if (held !== undefined) yield held
  } finally {
    // Leaving the loop early ends the work of the server.
    await reader.cancel().catch(() => undefined)
  }
}

async function readFrom(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  held: string | undefined,
  signal: AbortSignal | undefined,
): Promise<{ done: boolean; value?: Uint8Array | undefined }> {
  try {
    return await reader.read()
  } catch (error) {
    signal?.throwIfAborted()
    throw reasonIn(held) ?? streamBroken(undefined, error)
  }
}

/** The last line of a server that gave up is `{"error"}`. That of a damaged record has a digest, and the work goes on. */
export function reasonIn(line: string | undefined): ApiProblem | undefined {
  if (line?.startsWith('{"error":') !== true) return undefined
  let value: { error?: { code?: unknown; message?: unknown; digest?: unknown } }
  try {
    value = JSON.parse(line) as typeof value
  } catch {
    return undefined
  }
  const { error, ...others } = value
  if (Object.keys(others).length > 0 || typeof error?.code !== 'string' || error.digest !== undefined) return undefined
  return new ApiProblem(0, error.code, 'The stream ended early', String(error.message), undefined, false, undefined)
}
