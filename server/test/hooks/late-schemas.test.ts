// Schemas are compiled when they are needed, so a wrong one would be found by a request.
import { expect, test } from 'vitest'
import { createApp, declareApi } from '../../src/app.js'
import { readConfig } from '../../src/config.js'
import { LateSchemas } from '../../src/hooks/late-schemas.js'

test('each is made once, when it is first asked for', () => {
  const late = new LateSchemas()
  let times = 0
  const get = late.later(() => (times += 1))
  expect(times).toBe(0)
  expect([get(), get(), times]).toEqual([1, 1, 1])
  late.all()
  expect(times).toBe(1)
})

test('all of them can be compiled', async () => {
  const app = createApp(readConfig([], { TESSERA_LOG_LEVEL: 'silent' }))
  await declareApi(app)
  await app.ready()
  expect(() => app.lateSchemas.all()).not.toThrow()
  await app.close()
})
