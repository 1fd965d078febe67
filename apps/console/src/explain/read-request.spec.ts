import { readRequest } from './read-request';

const SECRET = `grk_${'a1B2'.repeat(9)}Zz9q`.slice(0, 42);
const LAST_FOUR = SECRET.slice(-4);

it.each<[string, object]>([
  ['curl https://api.example.com/v1/models', { method: 'GET', path: '/v1/models' }],
  [
    `curl -X POST 'https://api.example.com/v1/text-to-voice/design?output_format=mp3_44100' \\\n  -H "xi-api-key: ${SECRET}" -d '{"a": "it\\"s"}'`,
    { method: 'POST', path: '/v1/text-to-voice/design?output_format=mp3_44100', find: LAST_FOUR },
  ],
  [
    `curl http://h/v1/text-to-voice/design -d '{"text":"Grüße 🎙","voice_description":"calm"}'`,
    { method: 'POST', path: '/v1/text-to-voice/design', cost: '7' },
  ],
  [`curl http://h/v1/voices/abc/edit -d '{"text":"free"}'`, { method: 'POST', path: '/v1/voices/abc/edit' }],
  [
    `curl -XDELETE localhost:3000/v1/voices/abc -H 'xi-api-key: ${SECRET}'`,
    { method: 'DELETE', path: '/v1/voices/abc', find: LAST_FOUR },
  ],
  ['curl --json "{}" --url=http://h/v1/text-to-voice', { method: 'POST', path: '/v1/text-to-voice' }],
  [
    'curl -sS --max-time 5 -F name=a -F files=@a.wav http://h/v1/voices/add',
    { method: 'POST', path: '/v1/voices/add' },
  ],
  ['curl -I http://h/v1/models', { method: 'HEAD', path: '/v1/models' }],
  ['curl -G http://h/v1/voices -d page_size=3', { method: 'GET', path: '/v1/voices' }],
  [
    `https://api.example.com/v1/voices?key=${SECRET}`,
    { method: 'GET', path: `/v1/voices?key=…${LAST_FOUR}`, find: LAST_FOUR },
  ],
  ['PATCH /v1/voices/abc/edit', { method: 'PATCH', path: '/v1/voices/abc/edit' }],
  ['/v1/models', { method: 'GET', path: '/v1/models' }],
  [SECRET, { find: LAST_FOUR }],
  [`it says "${SECRET}" here`, { find: LAST_FOUR }],
  ['0123456789ABCDEF0123456789abcdef', { find: '0123456789abcdef0123456789abcdef' }],
  ['Ab3d', { find: 'Ab3d' }],
  ['Northwind production', { find: 'Northwind production' }],
  ['curl', { find: 'curl' }],
  ["curl 'http://h/v1/models", { method: 'GET', path: '/v1/models' }],
  ['  ', {}],
])('reads %j', (pasted, expected) => {
  const read = readRequest(pasted);
  expect(JSON.parse(JSON.stringify(read))).toEqual(expected);
  expect(JSON.stringify(read)).not.toContain(SECRET);
});
