// After each file of tests: the JavaScript thread has waited for no disk and walked no namespace. Builds without debug
// assertions do not look, and have nothing to say.
import { threadBreaches } from '@tessera/native'
import { afterAll, expect } from 'vitest'

afterAll(() => expect(threadBreaches()).toEqual([]))
