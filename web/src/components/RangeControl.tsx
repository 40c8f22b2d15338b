import { useChooseRange, useRange } from '../live/range'
import { windowChoices, type WindowName } from '../live/window'
import { Segmented } from '../ui/Segmented'
import { t } from '../language/text'

/** The range of all pages. `onChange`: what a page does in place of writing it into the address. */
export function RangeControl({ onChange }: { onChange?: (window: WindowName) => void }) {
  const { name } = useRange()
  const choose = useChooseRange()
  return <Segmented label={t('Range')} value={name} choices={windowChoices} onChange={onChange ?? choose} />
}
