import type { CallPlace } from '../../components/use-curl'
import type { Asked } from './asked'

export const languages = ['curl', 'JavaScript', 'Python'] as const
export type Language = (typeof languages)[number]

/** The call as a program for Node.js, with nothing but what Node.js has. */
export function javaScriptOf(asked: Asked, { origin, tokenFile }: CallPlace): string {
  const token =
    tokenFile === undefined
      ? 'const token = process.env.TESSERA_TOKEN'
      : `import { readFileSync } from 'node:fs'\n\nconst token = readFileSync(${quoted(tokenFile)}, 'utf8').trim()`
  const headers = [
    '    Authorization: `Bearer ${token}`,',
    ...Object.entries(asked.headers).map(([name, value]) => `    ${quoted(name)}: ${quoted(value)},`),
  ]
  return [
    token,
    `const answer = await fetch(${quoted(origin + asked.path)}, {`,
    `  method: ${quoted(asked.method)},`,
    '  headers: {',
    ...headers,
    '  },',
    ...(asked.body === undefined ? [] : [`  body: ${quoted(asked.body)},`]),
    '})',
    'console.log(answer.status, await answer.text())',
  ].join('\n')
}

/** The call as a program for Python, with nothing but its standard library. */
export function pythonOf(asked: Asked, { origin, tokenFile }: CallPlace): string {
  const token = tokenFile === undefined ? 'os.environ["TESSERA_TOKEN"]' : `open(${quoted(tokenFile)}).read().strip()`
  const headers = Object.entries(asked.headers).map(([name, value]) => `        ${quoted(name)}: ${quoted(value)},`)
  return [
    ...(tokenFile === undefined ? ['import os'] : []),
    'from urllib.error import HTTPError',
    'from urllib.request import Request, urlopen',
    '',
    `token = ${token}`,
    'request = Request(',
    `    ${quoted(origin + asked.path)},`,
    `    method=${quoted(asked.method)},`,
    '    headers={',
    '        "Authorization": f"Bearer {token}",',
    ...headers,
    '    },',
    ...(asked.body === undefined ? [] : [`    data=${quoted(asked.body)}.encode(),`]),
    ')',
    'try:',
    '    answer = urlopen(request)',
    'except HTTPError as failure:',
    '    answer = failure',
    'print(answer.status, answer.read().decode())',
  ].join('\n')
}

/** A text for both languages: what JSON escapes, they read alike. */
const quoted = (text: string): string => JSON.stringify(text)
