// What each command gets: the server, how to print, and its options.
import type { IncomingMessage } from 'node:http'
import type { Command } from 'commander'
import { type MediaType, wholePieces } from './answer.js'
import { Client, placeOf, type PlaceOptions } from './client.js'
import { inputFailure } from './failure.js'
import { type Column, pairs, table, write, writeJson } from './output.js'

interface GlobalOptions extends PlaceOptions {
  json?: boolean
}

interface Page {
  items: object[]
  truncated: boolean
  cursor?: string
}

export class Context {
  readonly client: Client
  readonly json: boolean

  constructor(options: GlobalOptions) {
    this.client = new Client(placeOf(options, process.env))
    this.json = options.json === true
  }

  /** Prints an object. Undefined: the server had nothing to say. */
  show(value: object = {}): Promise<void> {
    return this.json ? writeJson(value) : write(pairs(value))
  }

  /** Prints the parts of a list, page by page. `limit`: most of them. */
  async list(path: string, columns: readonly Column[], limit = Infinity): Promise<void> {
    const items: object[] = []
    let cursor: string | undefined
    do {
      const separator = path.includes('?') ? '&' : '?'
      const next = cursor === undefined ? path : `${path}${separator}cursor=${encodeURIComponent(cursor)}`
      const page = await this.client.call<Page>('GET', next)
      items.push(...page.items)
      cursor = page.truncated ? page.cursor : undefined
    } while (cursor !== undefined && items.length < limit)
    await this.rows(items.slice(0, limit), columns)
  }

  /** Prints a list that is here as a whole. */
  rows(items: readonly object[], columns: readonly Column[]): Promise<void> {
    return this.json ? writeJson({ items }) : write(table(items, columns))
  }

  /** Prints an answer as it comes. `expected`: what it may be. */
  async pass(answer: IncomingMessage, ...expected: readonly MediaType[]): Promise<void> {
    for await (const piece of wholePieces(answer, expected)) await write(piece)
  }
}

/** Makes `handle` the work of a command. It gets its arguments, and its options at the end. */
export function does<Options>(
  command: Command,
  handle: (context: Context, options: Options, ...args: string[]) => Promise<void>,
): Command {
  return command.action(async () => {
    const context = new Context(command.optsWithGlobals<GlobalOptions>())
    await handle(context, command.opts<Options & object>(), ...command.args)
  })
}

/**
 * Part of a path. `.` and `..` are refused: however they are written, a URL with them is that of another thing.
 *
 * @throws CliFailure `input_invalid`
 */
export function part(text: string): string {
  if (text === '.' || text === '..')
    throw inputFailure(`a name or key ${JSON.stringify(text)} cannot be sent; a key: use its digest, --key-type digest`)
  return encodeURIComponent(text)
}

/** `?a=1&b=2` of what is set. */
export function search(values: Record<string, string | number | boolean | undefined>): string {
  const set = Object.entries(values).flatMap(([key, value]): [string, string][] =>
    value === undefined ? [] : [[key, String(value)]],
  )
  return set.length === 0 ? '' : `?${new URLSearchParams(set).toString()}`
}

/** JSON that somebody typed. It goes to the server as it is, so that integers stay exact. */
export function jsonText(text: string, what: string): string {
  try {
    JSON.parse(text)
  } catch (error) {
    throw inputFailure(`${what} is no JSON: ${(error as Error).message}`)
  }
  return text
}

export function whole(name: string): (text: string) => number {
  return (text) => {
    if (!/^\d{1,15}$/.test(text))
      throw inputFailure(`${name} must be an integer of 0 or more, got ${JSON.stringify(text)}`)
    return Number(text)
  }
}
