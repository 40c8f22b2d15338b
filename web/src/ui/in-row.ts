import { createContext } from 'react'

/** Whether it is drawn in a row of a table, whose parts the arrow keys lead to. */
export const InRow = createContext(false)
