/// The style sheet of a page.
enum PageStyle {
  /// The style sheet.
  ///
  /// The colours of marks keep apart for those who see few of them: blue against
  /// orange, and shapes besides.
  static let text = """
    :root{\(light)}
    @media (prefers-color-scheme:dark){:root:not([data-theme=light]){\(dark)}}
    :root[data-theme=dark]{\(dark)}
    \(layout)
    \(drawing)
    \(printing)

    """

  private static let light = """
    color-scheme:light;--page:#f5f6f4;--card:#fff;--ink:#1c2328;--muted:#59646d;--rule:#dfe3e4;\
    --lane:#9aa5ad;--sent:#2f6ea8;--learn:#00785d;--lost:#bf3f0b;--part:#e09a00;--bad:#8b3f86;\
    --twice:#1f8fb5;--well:#00694f;--ill:#b2380a;--wellfill:#e4f3ee;--illfill:#fbe9e1;\
    --accent:#2f6ea8
    """

  private static let dark = """
    color-scheme:dark;--page:#101417;--card:#181e22;--ink:#e6eaec;--muted:#9ba7b0;--rule:#2c353b;\
    --lane:#5d6a74;--sent:#7db4e6;--learn:#45c7a2;--lost:#ff8f61;--part:#f0b73a;--bad:#dc9ad6;\
    --twice:#74cdef;--well:#5fd3b0;--ill:#ff9d75;--wellfill:#14312a;--illfill:#3a211a;\
    --accent:#7db4e6
    """

  private static let layout = """
    *{box-sizing:border-box}
    body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,\
    "Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
    header,main,footer{max-width:1320px;margin:0 auto;padding:0 24px}
    header{padding-top:24px}
    .top{display:flex;justify-content:space-between;align-items:center;min-height:36px}
    .brand{margin:0;color:var(--muted);font-weight:600;letter-spacing:.04em}
    h1{font-size:clamp(1.35rem,3.2vw,2rem);line-height:1.25;margin:8px 0 12px;\
    overflow-wrap:anywhere}
    h2{font-size:1.05rem;margin:0 0 4px}
    h3{font-size:.9rem;margin:0;display:flex;justify-content:space-between;gap:8px}
    p{margin:0 0 8px}
    code{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
    .command{display:flex;gap:12px;align-items:flex-start;margin:0 0 20px}
    .command code{background:var(--card);border:1px solid var(--rule);border-radius:8px;\
    padding:8px 12px;overflow-wrap:anywhere;min-width:0}
    button{font:inherit;font-size:14px;color:var(--ink);background:var(--card);\
    border:1px solid var(--rule);border-radius:8px;padding:5px 12px;cursor:pointer}
    button:hover{border-color:var(--muted)}
    :focus-visible{outline:2px solid var(--accent);outline-offset:2px}
    [hidden]{display:none!important}
    .tiles{display:flex;flex-wrap:wrap;gap:12px;margin-bottom:20px}
    .tile,.card{background:var(--card);border:1px solid var(--rule);border-radius:12px}
    .tile{padding:12px 16px;flex:1 1 112px;max-width:240px}
    .tile h2{font-size:.8rem;font-weight:500;color:var(--muted)}
    .tile .figure{font-size:1.3rem;font-weight:600;line-height:1.2;margin:0;\
    white-space:nowrap}
    .tile .note{margin:2px 0 0}
    .tile.verdict{flex:3 1 270px;max-width:none}
    .tile.well{background:var(--wellfill)}.tile.well .figure,.well{color:var(--well)}
    .tile.ill{background:var(--illfill)}.tile.ill .figure,.ill{color:var(--ill)}
    .note,.muted,figcaption p,.card>p,footer{color:var(--muted)}
    .note,footer,.legend,.card>p,figcaption p{font-size:.875rem}
    .card{padding:18px 20px;margin:0 0 20px}
    .alarm{background:var(--illfill);border-color:var(--ill)}
    .alarm ul{margin:6px 0 0;padding-left:20px;overflow-wrap:anywhere}
    .legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;margin:12px 0 4px;padding:0;\
    color:var(--muted)}
    .legend li{display:flex;align-items:center;gap:6px}
    .legend b{color:var(--ink);font-weight:600}
    .diagram{overflow:auto;max-height:min(78vh,900px);border:1px solid var(--rule);\
    border-radius:8px;margin:10px 0 0;position:relative;overscroll-behavior-x:contain}
    .canvas{display:grid;position:relative}
    .canvas>svg{grid-area:1/1;display:block;align-self:start;justify-self:start}
    .onpaper{display:none}
    .canvas .corner{position:sticky;top:0;left:0;z-index:3;background:var(--card)}
    .canvas .axis{position:sticky;top:0;z-index:2;background:var(--card);\
    border-bottom:1px solid var(--rule)}
    .canvas .names{position:sticky;left:0;z-index:1;background:var(--card);\
    border-right:1px solid var(--rule)}
    .axis,.names,.spanname,.ylabels,.xlabels{font-size:12px;fill:var(--muted);color:var(--muted)}
    .onpaper{fill:var(--ink)}
    .names text{fill:var(--ink)}
    .slider{display:flex;gap:10px;align-items:center;margin:8px 0}
    .slider input{flex:1;min-width:80px;accent-color:var(--accent)}
    .moment{margin:4px 0 12px}
    .states{display:grid;grid-template-columns:repeat(auto-fill,minmax(220px,1fr));gap:10px}
    .state{border:1px solid var(--rule);border-left:4px solid var(--lane);border-radius:8px;\
    padding:8px 12px;min-width:0}
    .state p{font-size:.875rem;margin:4px 0 0;overflow-wrap:anywhere}
    .state code{color:var(--muted);overflow-wrap:anywhere}
    .states.texts{grid-template-columns:repeat(auto-fill,minmax(min(100%,340px),1fr))}
    .state p.text{white-space:pre-wrap;max-height:20em;overflow:auto;line-height:1.7}
    .authors{margin:0 0 12px}
    .by{border-radius:3px;padding:1px 0;border-bottom:2px solid transparent}
    .authors .by{padding:1px 6px;color:var(--ink)}
    .a0{background:#2f6ea833;border-color:#2f6ea8}.a1{background:#e09a0033;border-color:#e09a00}
    .a2{background:#00785d33;border-color:#00785d}.a3{background:#bf3f0b33;border-color:#bf3f0b}
    .a4{background:#8b3f8633;border-color:#8b3f86}.a5{background:#1f8fb533;border-color:#1f8fb5}
    .a6{background:#7a7a0033;border-color:#7a7a00}.a7{background:#d1557833;border-color:#d15578}
    .a8{background:#59646d33;border-color:#59646d}.a9{background:#6b4fc233;border-color:#6b4fc2}
    .state.agrees{border-left-color:var(--learn);background:var(--wellfill)}
    .state.differs{border-left-color:var(--lost);border-left-style:dashed}
    .state.away,.state.down{opacity:.62}
    .badge{font-weight:500;color:var(--muted)}
    .agrees .badge{color:var(--well)}.differs .badge{color:var(--ill)}
    .charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));\
    gap:0 20px}
    .plot{display:grid;grid-template-columns:64px minmax(0,1fr);\
    grid-template-rows:200px 26px;margin-top:14px;padding-right:20px}
    .ylabels,.xlabels,.area{position:relative}
    .ylabels span{position:absolute;right:10px;transform:translateY(50%);white-space:nowrap}
    .xlabels{grid-column:2}
    .xlabels span{position:absolute;top:6px;transform:translateX(-50%);white-space:nowrap}
    .area svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
    .area .cross{position:absolute;top:0;bottom:0;width:1px;background:var(--muted)}
    .scroll{overflow-x:auto;margin-top:8px}
    table{border-collapse:collapse;width:100%;font-size:.9rem}
    th,td{padding:6px 12px;text-align:right;border-bottom:1px solid var(--rule);\
    white-space:nowrap}
    thead th{color:var(--muted);font-weight:500}
    tbody th{font-weight:500}
    tfoot th,tfoot td{font-weight:600;border-bottom:0}
    th.text,td.text{text-align:left}
    footer{padding-bottom:32px}
    #tip{position:fixed;z-index:9;max-width:min(340px,calc(100vw - 24px));padding:8px 12px;\
    background:var(--ink);color:var(--page);border-radius:8px;font-size:13px;line-height:1.4;\
    pointer-events:none;overflow-wrap:anywhere}
    @media (max-width:600px){header,main,footer{padding-left:12px;padding-right:12px}\
    .card{padding:14px 12px}.plot{grid-template-columns:54px minmax(0,1fr)}\
    .command{flex-direction:column}.tile{padding:10px 12px}}
    """

  private static let drawing = """
    path,line,circle{fill:none;vector-effect:non-scaling-stroke}
    .grid{stroke:var(--rule);stroke-width:1}
    .lane{stroke:var(--lane);stroke-width:1.5}
    .lane.down{stroke-dasharray:1 5;stroke-width:1.5;stroke:var(--lost)}
    .lane.paused{stroke-dasharray:5 4;stroke:var(--part)}
    .mark{stroke-width:1.3;stroke-linejoin:round}
    .sent{stroke:var(--sent);stroke-opacity:.75}
    .open{stroke:var(--sent);stroke-dasharray:2 3}
    .twice{stroke:var(--twice);stroke-dasharray:5 3}
    .bad{stroke:var(--bad);stroke-dasharray:2 2;stroke-width:1.6}
    .lost{stroke:var(--lost);stroke-width:1.5}
    .edit{stroke:var(--ink);stroke-width:2}
    .learn{fill:var(--learn);stroke:var(--card);stroke-width:1}
    .cut{stroke:var(--part);stroke-dasharray:1 3;fill:var(--card);stroke-width:1.4}
    .part{fill:var(--part);fill-opacity:.17;stroke:var(--part);stroke-opacity:.6;\
    stroke-dasharray:4 3}
    .spanname{font-weight:600}
    .crash{fill:var(--lost);stroke:var(--card)}
    .again{fill:var(--learn);stroke:var(--card)}
    .pause{stroke:var(--part);stroke-width:3}
    .join{fill:var(--card);stroke:var(--learn);stroke-width:2}
    .leave{fill:var(--muted);stroke:var(--card)}
    .clock{fill:var(--part);stroke:var(--card)}
    .heal{stroke:var(--learn);stroke-dasharray:6 4}
    .broken{stroke:var(--lost);stroke-width:3}
    .mark.hot{stroke-width:3.4;stroke-opacity:1}
    circle.hot,.crash.hot,.again.hot{stroke:var(--ink);stroke-width:2}
    #cursor{stroke:var(--accent);stroke-width:1.5}
    .line{stroke-width:2.2;stroke-linejoin:round;stroke-linecap:round}
    .s0{stroke:var(--sent)}.s1{stroke:var(--part);stroke-dasharray:7 4}
    .s2{stroke:var(--learn);stroke-dasharray:2 4}.s3{stroke:var(--lost);stroke-dasharray:10 4 2 4}
    .s4{stroke:var(--bad)}.s5{stroke:var(--twice);stroke-dasharray:7 4}
    .s6{stroke:var(--muted);stroke-dasharray:2 4}.s7{stroke:var(--ink)}
    .s8{stroke:var(--sent);stroke-dasharray:2 4}.s9{stroke:var(--part)}
    .s10{stroke:var(--learn)}.s11{stroke:var(--lost)}
    """

  private static let printing = """
    @media print{
    :root,:root[data-theme],:root:not([data-theme=light]){\(light);--page:#fff}
    @page{size:landscape;margin:12mm}
    :root{font-size:11px}
    body{font-size:11px}
    h1{font-size:20px}
    code{font-size:10px}
    .tile,.card{padding:8px 10px;margin-bottom:10px;border-radius:6px}
    .tiles,.states{gap:6px;margin-bottom:8px}
    .tile{flex-basis:70px;margin:0}
    .states{grid-template-columns:repeat(auto-fill,minmax(150px,1fr))}
    .plot{grid-template-rows:130px 22px}
    .ylabels,.xlabels{font-size:10px}
    th,td{padding:3px 8px}
    header,main,footer{max-width:none;padding:0}
    .tile,.state,.chart,.diagram,.whole{break-inside:avoid}
    h2{break-after:avoid}
    .diagram{overflow:visible;max-height:none;border:0}
    .canvas{width:100%!important;display:block}
    .canvas>svg{height:auto}
    #plot{width:100%}
    .axis,.names,.corner{display:none!important}
    .onpaper{display:inline!important}
    .scripted,button,#tip,#cursor{display:none!important}
    .scroll{overflow:visible}
    tr{break-inside:avoid}
    tfoot{display:table-row-group}
    *{print-color-adjust:exact;-webkit-print-color-adjust:exact}
    }
    """
}
