import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'
import { addDialogs } from './dialogs'

addDialogs()
// As `main.tsx` renders the console: effects run twice, so one that does not clean up is found.
configure({ reactStrictMode: true })
afterEach(cleanup)
