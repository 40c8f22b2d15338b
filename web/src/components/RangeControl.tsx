import { useChooseRange, useRange } from '../live/range'
import { windowChoices, type WindowName } from '../live/window'
import { Segmented } from '../ui/Segmented'

/** The range of all pages. `onChange`: what a page does in place of writing it into the address. */
export function RangeControl({ onChange }: { onChange?: (window: WindowName) => void }) {
  const { name } = useRange()
  const choose = useChooseRange()
  return <Segmented label="Range" value={name} choices={windowChoices} onChange={onChange ?? choose} />
}
