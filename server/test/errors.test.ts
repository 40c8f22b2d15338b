// Every failure has one code, one status, one line of documentation.
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { errorPage } from '../src/error-docs.js'
import { errorTable } from '../src/error-table.js'
import { failureHeaders, GatewayError, toFailure, toProblem } from '../src/errors.js'

const engineError = (code: string, retryable: boolean) =>
  Object.assign(new Error('no room'), { code, retryable, field: 'bins' })

describe('error table', () => {
  test('docs/errors.md is up to date', async () => {
    expect(await readFile(new URL('../../docs/errors.md', import.meta.url), 'utf8')).toBe(errorPage())
  })

  test('statuses are failures, titles and remedies are sentences', () => {
    for (const [code, { status, title, remedy }] of Object.entries(errorTable)) {
      expect(code).toMatch(/^[a-z][a-z0-9_]+$/)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(title.length).toBeGreaterThan(5)
      expect(remedy).toMatch(/\.$/)
    }
  })
})

describe('toFailure', () => {
  test('keeps what an engine says', () => {
    expect(toFailure(engineError('device_full', true))).toMatchObject({
      code: 'device_full',
      message: 'no room',
      field: 'bins',
      retryable: true,
    })
  })

  test('hides the text of errors that nobody expected', () => {
    for (const surprise of [
      new Error('password is 1234'),
      'text',
      undefined,
      null,
      Object.assign(new Error('x'), { code: 'ENOENT' }),
    ]) {
      const failure = toFailure(surprise)
      expect(failure.code).toBe('internal')
      expect(failure.message).not.toContain('1234')
    }
  })

  test('a code that only looks like one is internal', () => {
    for (const code of ['toString', '__proto__', 'constructor', 42]) {
      expect(toFailure(Object.assign(new Error('x'), { code })).code).toBe('internal')
    }
  })
})

describe('toProblem', () => {
  test('has the members of RFC 9457 and ours, and no query string', () => {
    const failure = toFailure(
      new GatewayError('field_unknown', 'colour is not a field of the body', { field: 'colour' }),
    )
    expect(toProblem(failure, { url: '/api/v1/namespaces?token=secret', id: 'r-1' })).toEqual({
      type: '/docs/errors#field_unknown',
      title: 'Unknown field',
      status: 400,
      detail: 'colour is not a field of the body',
      instance: '/api/v1/namespaces',
      code: 'field_unknown',
      field: 'colour',
      retryable: false,
      requestId: 'r-1',
    })
  })
})

describe('failureHeaders', () => {
  test('tells when to come back, and how to log in', () => {
    expect(failureHeaders(toFailure(engineError('device_full', true)))).toEqual({ 'retry-after': '1' })
    expect(failureHeaders(toFailure(new GatewayError('auth_required', '')))).toHaveProperty('www-authenticate')
  })
})
