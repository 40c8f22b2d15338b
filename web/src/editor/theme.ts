import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

// Colours are the roles of `styles/tokens.css`, so themes, contrast and paper need nothing here.

const raised = { backgroundColor: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--line-strong)' }

const look = EditorView.theme({
  '&': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-small)',
    backgroundColor: 'var(--panel)',
    color: 'var(--ink)',
    fontSize: '12px',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '&.wrong': { borderColor: 'var(--bad)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', maxHeight: '56vh' },
  '.cm-content': { padding: '3px 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 8px' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--mute)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '24px', paddingRight: '2px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', outline: '1px solid var(--accent)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-soft)' },
  '.cm-placeholder': { color: 'var(--mute)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--track)', color: 'var(--ink)', border: 'none', padding: '0 4px' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--fill-warn)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--accent-soft)', outline: '2px solid var(--accent)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--track)' },
  // The library draws it as an image.
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lintPoint-error::after': { borderBottomColor: 'var(--bad)' },
  '.cm-tooltip': { ...raised, borderRadius: 'var(--radius-small)', boxShadow: 'var(--shadow)' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '220px' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-soft)',
    color: 'var(--ink)',
    outline: '1px solid var(--accent)',
    outlineOffset: '-1px',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', color: 'var(--accent)', fontWeight: '600' },
  '.cm-completionDetail': { color: 'var(--mute)', fontStyle: 'normal' },
  '.cm-tooltip.cm-completionInfo': { maxWidth: '320px', padding: '6px 10px', fontFamily: 'var(--sans)' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--ink)', borderRadius: 'var(--radius-small)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '6px 28px 6px 8px', fontFamily: 'var(--sans)' },
  '.cm-panel.cm-search label': { fontSize: '12px' },
  '.cm-panel.cm-search [name=close]': { color: 'var(--ink)', fontSize: '18px', padding: '0 4px' },
  '.cm-textfield': { ...raised, borderRadius: 'var(--radius-small)', fontSize: '12px' },
  '.cm-button': { ...raised, backgroundImage: 'none', borderRadius: 'var(--radius-small)', fontSize: '12px' },
})

const syntax = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: tags.number, color: 'var(--warn)' },
  { tag: [tags.bool, tags.null], color: 'var(--ink)', fontWeight: '600' },
])

export const theme: Extension = [look, syntaxHighlighting(syntax)]
