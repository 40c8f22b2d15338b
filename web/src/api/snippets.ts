import type { SentParts } from './calls'
import { toCurl } from './curl'

/** Where calls of a program go, and the file with the administrator token; unset: the program has an API token. */
export interface CallPlace {
  origin: string
  tokenFile: string | undefined
}

export interface SnippetCall extends SentParts {
  method: string
  /** below the base path of the server, with its query */
  path: string
}

export const languages = ['curl', 'JavaScript', 'Python'] as const
export type Language = (typeof languages)[number]

/** The same call as a program. A stream is printed as it arrives. */
export function snippetOf(language: Language, call: SnippetCall, place: CallPlace): string {
  if (language === 'curl') return toCurl({ ...call, ...place })
  return language === 'JavaScript' ? javaScriptOf(call, place) : pythonOf(call, place)
}

const headersOf = ({ headers = {}, body }: SnippetCall): [name: string, value: string][] =>
  Object.entries(body === undefined ? headers : { 'Content-Type': 'application/json', ...headers })

/** The body as both languages have it; undefined: there is none. */
function contentOf({ body, file }: SnippetCall, text: (body: string) => string, named: (file: string) => string) {
  if (file !== undefined) return named(file)
  return body === undefined ? undefined : text(body)
}

const isStream = ({ headers }: SnippetCall): boolean => /ndjson|event-stream/.test(headers?.['Accept'] ?? '')

/** The call as a program for Node.js, with nothing but what Node.js has. */
export function javaScriptOf(call: SnippetCall, { origin, tokenFile }: CallPlace): string {
  const { method, path, file } = call
  const token =
    tokenFile === undefined ? 'process.env.TESSERA_TOKEN' : `readFileSync(${quoted(tokenFile)}, 'utf8').trim()`
  const content = contentOf(call, quoted, (name) => `readFileSync(${quoted(name)})`)
  return [
    ...(tokenFile === undefined && file === undefined ? [] : ["import { readFileSync } from 'node:fs'", '']),
    `const token = ${token}`,
    `const answer = await fetch(${quoted(origin + path)}, {`,
    `  method: ${quoted(method)},`,
    '  headers: {',
    '    Authorization: `Bearer ${token}`,',
    ...headersOf(call).map(([name, value]) => `    ${quoted(name)}: ${quoted(value)},`),
    '  },',
    ...(content === undefined ? [] : [`  body: ${content},`]),
    '})',
    ...(isStream(call)
      ? ['for await (const part of answer.body) process.stdout.write(part)']
      : ['console.log(answer.status, await answer.text())']),
  ].join('\n')
}

/** The call as a program for Python, with nothing but its standard library. */
export function pythonOf(call: SnippetCall, { origin, tokenFile }: CallPlace): string {
  const { method, path } = call
  const token = tokenFile === undefined ? 'os.environ["TESSERA_TOKEN"]' : `open(${quoted(tokenFile)}).read().strip()`
  const content = contentOf(
    call,
    (text) => `${quoted(text)}.encode()`,
    (name) => `open(${quoted(name)}, "rb").read()`,
  )
  return [
    ...(tokenFile === undefined ? ['import os'] : []),
    'from urllib.error import HTTPError',
    'from urllib.request import Request, urlopen',
    '',
    `token = ${token}`,
    'request = Request(',
    `    ${quoted(origin + path)},`,
    `    method=${quoted(method)},`,
    '    headers={',
    '        "Authorization": f"Bearer {token}",',
    ...headersOf(call).map(([name, value]) => `        ${quoted(name)}: ${quoted(value)},`),
    '    },',
    ...(content === undefined ? [] : [`    data=${content},`]),
    ')',
    'try:',
    '    answer = urlopen(request)',
    'except HTTPError as failure:',
    '    answer = failure',
    ...(isStream(call)
      ? ['for line in answer:', '    print(line.decode(), end="", flush=True)']
      : ['print(answer.status, answer.read().decode())']),
  ].join('\n')
}

/** A text for both languages: what JSON escapes, they read alike. */
const quoted = (text: string): string => JSON.stringify(text)
