// A change of a setting in the text of a configuration file leaves everything else as it is.
import { parse } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { editText, type FileEdit } from '../../../src/config/running/edit.js'

const file = `// Ours.
{
  "port": 7400, // of the team
  /* Since March. */
  "logLevel": "warn", // quiet

  // Names.
  "hosts": ["a", "b"]  // both
  // The end.
}
`

describe('an edit of a file', () => {
  test.each<[string, FileEdit, string, string]>([
    ['replaces a value', ['logLevel', 'debug'], '"warn"', '"debug"'],
    ['replaces a list', ['hosts', ['c']], '["a", "b"]', '["c"]'],
  ])('%s', (_what, edit, before, after) => {
    expect(editText(file, [edit])).toBe(file.replace(before, after))
  })

  test('adds a setting behind the last one and all comments', () => {
    const text = editText(file, [['readOnly', true]])
    expect(text).toBe(
      file.replace('["a", "b"]', '["a", "b"],').replace('// The end.\n', '// The end.\n  "readOnly": true\n'),
    )
  })

  test('removes a setting, with its line if that has nothing else', () => {
    const plain = '{\n  "port": 7400,\n  "streams": 3,\n  "logLevel": "warn"\n}\n'
    expect(editText(plain, [['streams', undefined]])).toBe('{\n  "port": 7400,\n  "logLevel": "warn"\n}\n')
    expect(editText(plain, [['logLevel', undefined]])).toBe('{\n  "port": 7400,\n  "streams": 3,\n}\n')
  })

  test('keeps the comments of a setting that it removes', () => {
    const text = editText(file, [['logLevel', undefined]])
    expect(text).toBe(file.replace('"logLevel": "warn", ', ' '))
    expect(parse(editText(file, [['hosts', undefined]]))).toEqual({ port: 7400, logLevel: 'warn' })
  })

  test.each([
    ['{}', '{\n  "streams": 3\n}'],
    ['{ }', '{\n  "streams": 3\n }'],
    ['{"port": 1}', '{"port": 1,\n  "streams": 3\n}'],
    ['{"port": 1,}', '{"port": 1,\n  "streams": 3,\n}'],
    ['{\n  // none yet\n}\n', '{\n  // none yet\n  "streams": 3\n}\n'],
    ['{ // none yet\n}', '{ // none yet\n  "streams": 3\n}'],
    ['{\r\n  "port": 1\r\n}\r\n', '{\r\n  "port": 1,\r\n  "streams": 3\r\n}\r\n'],
    ['\uFEFF{"port": 1}', '\uFEFF{"port": 1,\n  "streams": 3\n}'],
    ['{"port": 1 /* one */}', '{"port": 1, /* one */\n  "streams": 3\n}'],
    ['{"port": 1 /* one */, /* two */}', '{"port": 1 /* one */, /* two */\n  "streams": 3,\n}'],
  ])('adds to %j', (before, after) => {
    expect(editText(before, [['streams', 3]])).toBe(after)
  })

  test.each([
    ['{"streams": 3}', '{}'],
    ['{"streams": 3, "port": 1}', '{ "port": 1}'],
    ['{\n  "streams": 3 // why\n  , "port": 1\n}', '{\n   // why\n   "port": 1\n}'],
    ['{\n  "streams"\n  : 3,\n}', '{\n}'],
    ['{"port": 1}', '{"port": 1}'],
  ])('removes from %j', (before, after) => {
    expect(editText(before, [['streams', undefined]])).toBe(after)
  })

  test('of several settings makes all of them', () => {
    const edits: FileEdit[] = [
      ['port', undefined],
      ['streams', 3],
      ['readOnly', false],
      ['logLevel', 'info'],
    ]
    const parsed: unknown = parse(editText(file, edits), [], { allowTrailingComma: true })
    expect(parsed).toEqual({ logLevel: 'info', hosts: ['a', 'b'], streams: 3, readOnly: false })
  })
})
