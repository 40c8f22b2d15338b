import './renders'
import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'
import { forget } from '../../src/charts/card/view-link'
import { readFocusOptions } from './focus'

readFocusOptions()
// As `main.tsx` renders the console: effects run twice, so one that does not clean up is found.
configure({ reactStrictMode: true, asyncUtilTimeout: 30_000 })
afterEach(cleanup)
// The views of charts would come to the next test.
afterEach(() => {
  forget()
  location.hash = ''
})
