/** The page of the museum's site that shows the story, for the picture of the preview. */
export const SITE_PAGE = `<!doctype html>
<html lang="en">
<title>Ink, galls and paper</title>
<style>
body { margin: 0; font: 18px/1.6 Georgia, serif; color: #2b2622; background: #fbf7ee; }
header { padding: 18px 32px; background: #1c2536; color: #efe6d2; letter-spacing: .08em; }
main { max-width: 34em; padding: 24px 32px; }
h1 { font-size: 38px; line-height: 1.15; margin: 12px 0; }
blockquote { margin: 24px 0; padding-left: 16px; border-left: 4px solid #a3262a; font-style: italic; }
</style>
<header>THE MUSEUM</header>
<main>
<h1>Ink, galls and paper</h1>
<p>Ink is made of <strong>oak galls</strong>, vitriol and gum. A wasp lays its egg in the bud of an oak, and the tree grows a hard ball around it.</p>
<h2>How it is cooked</h2>
<ol><li>Grind the galls, and let them stand in water.</li><li>Add vitriol: the water turns black.</li><li>Add gum, so that the ink stays on the pen.</li></ol>
<blockquote>The best ink is made in autumn.</blockquote>
</main>
</html>`
