import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { faultSentence } from '../src/schema-faults.js'
import { english } from '../src/sentences/sentence.js'

const ajv = new Ajv({ verbose: true, strictNumbers: false }).addFormat('date-time', () => false)

test.each([
  [{ type: 'integer', minimum: 1, maximum: 128 }, 500, 'must be 1 to 128, got 500'],
  [{ type: 'integer', minimum: 1, maximum: 128 }, 0, 'must be 1 to 128, got 0'],
  [{ type: 'number', minimum: 1 }, 0.5, 'must be at least 1, got 0.5'],
  [{ type: 'number', maximum: 1 }, 2, 'must be at most 1, got 2'],
  [{ type: 'string', minLength: 1, maxLength: 9 }, '', 'must have 1 to 9 characters, got ""'],
  [{ type: 'number', maximum: 9 }, Infinity, 'must be at most 9, got Infinity'],
  [{ type: 'array', minItems: 1 }, [], 'must have at least 1 items'],
  [{ type: 'integer' }, 'ten', 'must be an integer, got "ten"'],
  [{ type: ['string', 'null'] }, true, 'must be a string or null, got true'],
  [{ anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] }, [], 'must be a string or a number or null'],
  [{ anyOf: [{ type: 'string' }, { type: 'number', maximum: 9 }] }, 10, 'must be at most 9, got 10'],
  [{ anyOf: [{ type: 'string', maxLength: 1 }, { type: 'null' }] }, 'ab', 'must have at most 1 characters, got "ab"'],
  [{ anyOf: [{ const: 'asc' }, { const: 'desc' }] }, 'up', 'must be one of asc, desc, got "up"'],
  [{ type: 'string' }, null, 'must be a string, got null'],
  [{ type: 'object' }, ['a'], 'must be an object'],
  [{ enum: ['a', 'b'] }, 'c', 'must be one of a, b, got "c"'],
  [{ const: 'a' }, 'b', 'must be a, got "b"'],
  [{ type: 'string', format: 'date-time' }, 'x', 'must be a time as RFC 3339, such as 2026-01-31T12:00:00Z, got "x"'],
  [{ type: 'string', minLength: 9, writeOnly: true }, 'secret', 'must have at least 9 characters'],
  [{ type: 'string', writeOnly: true }, 123456, 'must be a string'],
  [{ type: 'number', multipleOf: 4 }, 5, 'must be multiple of 4, got 5'],
  [{ type: 'string', maxLength: 9 }, 'long '.repeat(20), 'must have at most 9 characters'],
])('%j refuses %j: %s', (schema, value, words) => {
  const check = ajv.compile(schema)
  expect(check(value)).toBe(false)
  expect(english(faultSentence('it', check.errors ?? []))).toBe(`it ${words}`)
})

test('a value that JSON cannot hold is shown, too', () => {
  const fault = { keyword: 'type', params: { type: 'string' }, data: 2n ** 63n }
  expect(english(faultSentence('it', [fault]))).toBe('it must be a string, got 9223372036854775808')
})
