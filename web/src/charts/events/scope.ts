import { createContext } from 'react'

/** The namespace whose events the charts below show, beside those of the server; unset: all events. */
export const EventScope = createContext<string | undefined>(undefined)
