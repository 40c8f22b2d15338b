import { expect, test } from 'vitest'
import { fileOf } from '../src/records/file-of'
import { valuesOf } from '../src/pages/import/mapping/msgpack'
import { printExact } from '../src/records/json'

const lines = [
  '{"set":"s","key":"ada","digest":"d1","generation":2,"expiresAt":null,"bins":{"n":9223372036854775807,"d":2.0,"yes":true,"none":null}}',
  '{"set":"s","key":-7,"digest":"d2","generation":1,"bins":{"text":"a,\\"b\\"","deep":{"a":[1,{"$bytes":"AP8="}]},"word":"true","number":"007"}}',
  '{"set":"s","key":{"bytes":"AP8="},"digest":"d3","generation":1,"bins":{"raw":{"$bytes":"AAEC"},"key":"Ж"}}',
]

test('a table has the key and a column for each bin, and quotes what could be read as something else', () => {
  expect(fileOf(lines, 'csv')).toEqual([
    [
      'record_key,n,d,yes,none,text,deep,word,number,raw,key',
      'ada,9223372036854775807,2.0,true,,,,,,,',
      '-7,,,,,"a,""b""","{""a"":[1,{""$bytes"":""AP8=""}]}","true","007",,',
      '"{""bytes"":""AP8=""}",,,,,,,,,"{""$bytes"":""AAEC""}",Ж',
      '',
    ].join('\n'),
  ])
})

test('MessagePack has all that the lines have, exactly, with bytes as bytes', async () => {
  const long = `{"set":"s","key":1,"bins":{"list":[${Array(70_000).fill('0').join()}],"text":"${'ж'.repeat(200)}"}}`
  const file = new Uint8Array(await new Blob(fileOf([...lines, long], 'msgpack')).arrayBuffer())
  const { values, end } = valuesOf(file)
  expect(end).toBe(file.length)
  expect(values.map((value) => printExact(value))).toEqual([
    ...lines.map((line) => line.replace('"key":{"bytes":', '"key":{"$bytes":')),
    long,
  ])
})

test('lines stay as they came', () => {
  expect(fileOf(lines, 'ndjson').join('')).toBe(lines.map((line) => `${line}\n`).join(''))
})
