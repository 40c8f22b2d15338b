import { expect, test } from 'vitest'
import { files, generated, isSource, isTest, read } from './tree.ts'

const thisFile = 'e2e/tidy/words.test.ts'
const texts = files.filter((path) => !generated.includes(path) && path !== thisFile && path !== 'LICENSE')

function found(pattern: RegExp, among: string[]): string[] {
  return among.flatMap((path) =>
    read(path)
      .split('\n')
      .flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1}: ${line.trim().slice(0, 100)}`] : [])),
  )
}

const sources = texts.filter((path) => isSource(path))

test('nothing is left for later', () => {
  expect(found(/\b(TODO|FIXME|XXX|HACK)\b|unimplemented!|todo!\(/, sources)).toEqual([])
})

test('no test is switched off', () => {
  // Those of a cluster run by a command of their own, which starts one.
  const off = /\b(test|it|describe)\.(only|skip|todo)\b|#\[ignore(?! = "needs a cluster: npm run test:cluster"\])/
  expect(found(off, sources)).toEqual([])
})

test('a check is only silenced with its reason', () => {
  const silenced =
    /@ts-ignore|@ts-nocheck|(eslint|oxlint)-disable(?!.* -- \S)|@ts-expect-error\s*$|(prettier|oxfmt)-ignore/
  expect(found(silenced, sources)).toEqual([])
  expect(
    found(
      /#!?\[allow\((?!.*reason = ")/,
      sources.filter((path) => path.endsWith('.rs')),
    ),
  ).toEqual([])
})

test('no condition is awaited by sleeping in product code', () => {
  const product = sources.filter((path) => !isTest(path))
  expect(found(/\bsetTimeout\(resolve\b/, product)).toEqual([])
})

test('a number in the console says "1 record", not "1 records"', () => {
  const pages = sources.filter((path) => path.startsWith('web/src/'))
  const plain =
    /\b(?:(?:count|shortCount)\((?:[^()]|\([^()]*\))*\)|\w+\.length)\}(?:<\/\w+>)?(?:\{' '\}|\s)+(?:\w+(?:ing|ed) )?[a-z]{3,}s\b/g
  const byHand = /=== 1 \? '' : 'e?s'/g
  const counts = pages.flatMap((path) =>
    [plain, byHand].flatMap((pattern) => [...read(path).matchAll(pattern)].map(([text]) => `${path}: ${text}`)),
  )
  expect(counts, 'use a plural in the message').toEqual([])
})

test('no path or host of a private machine', () => {
  const privatePath = /(^|[\s"'`(=])\/(root|home\/[a-z]+|work|tmp\/[a-z_.]*jobs)\//
  expect(
    found(
      privatePath,
      texts.filter((path) => /\.(md|rs|ts|tsx|mjs|json|toml|css|html)$/.test(path)),
    ),
  ).toEqual([])
})
