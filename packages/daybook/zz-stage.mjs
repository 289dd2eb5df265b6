import { readFileSync } from 'node:fs'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import rehypeSanitize from 'rehype-sanitize'
import rehypeStringify from 'rehype-stringify'
import { unified } from 'unified'
const t = readFileSync(process.argv[2],'utf8')
const mem=(l)=>{gc();console.log(l, process.memoryUsage().heapUsed/1e6|0, Math.round(performance.now()))}
mem('start')
const p=unified().use(remarkParse).use(remarkGfm)
let m=p.parse(t); mem('mdast')
let n=0; const strip=(x)=>{n++; for(const c of x.children??[]) strip(c)}; strip(m); console.log('nodes',n)
const q=unified().use(remarkRehype)
let h=q.runSync(m); mem('mdast+hast'); m=undefined; mem('hast')
let s=unified().use(rehypeSanitize).runSync(h); mem('hast+san'); h=undefined; mem('san')
let o=unified().use(rehypeStringify).stringify(s); mem('str'); console.log(o.length)
