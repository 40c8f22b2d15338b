// After each file of tests: the JavaScript thread has waited for no disk and walked no namespace. Builds without debug
// assertions do not look, and have nothing to say.
import { afterAll, expect } from 'vitest'
import { threadBreaches } from '../dist/index.js'

afterAll(() => expect(threadBreaches()).toEqual([]))
