import './renders'
import { cleanup, configure } from '@testing-library/react'
import { afterEach, vi } from 'vitest'
import { forget } from '../../src/charts/card/view-link'
import { readFocusOptions } from './focus'

readFocusOptions()
// The document of these tests lays nothing out, which the editor of JSON needs. They have the plain field that stands
// there until its code is loaded; goals have the editor.
vi.mock('../../src/editor/load', () => ({ loadedEditor: () => undefined, loadEditor: () => Promise.race([]) }))
// As `main.tsx` renders the console: effects run twice, so one that does not clean up is found.
configure({ reactStrictMode: true, asyncUtilTimeout: 30_000 })
afterEach(cleanup)
// The views of charts would come to the next test.
afterEach(() => {
  forget()
  location.hash = ''
})
