/// What makes a page answer to who points at it.
enum PageScript {
  /// What stands in the page's `script` element, to the byte.
  static let element = "\n" + text

  /// The script: without it, all that matters is there as well.
  static let text = #"""
    (function(){
    'use strict';
    var $=function(id){return document.getElementById(id)};
    var all=function(q,e){return [].slice.call((e||document).querySelectorAll(q))};
    var data=JSON.parse($('data').textContent);
    var none=document.createElement('div');
    var tip=$('tip'),plot=$('plot')||none,box=$('diagram')||none,cursor=$('cursor')||none;
    var frames=data.frames;
    all('.scripted').forEach(function(e){e.hidden=false});

    function grouped(n){return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g,',')}
    function seconds(us){
      var s=Math.floor(us/1e6),r=us-s*1e6;
      if(!r)return grouped(s)+' s';
      return grouped(s)+'.'+String(Math.round(r)+1e6).slice(1).replace(/0+$/,'')+' s';
    }
    function bytes(n){
      var units=['B','kB','MB','GB','TB'],u=0;
      while(n>=999.5&&u<4){n/=1e3;u++}
      return (u?String(+n.toFixed(n<9.995?2:n<99.95?1:0)):grouped(n))+' '+units[u];
    }
    function tell(text,x,y){
      tip.textContent=text;tip.hidden=false;
      var w=tip.offsetWidth,h=tip.offsetHeight;
      tip.style.left=Math.max(8,Math.min(x+14,innerWidth-w-8))+'px';
      tip.style.top=(y+18+h>innerHeight?Math.max(8,y-h-12):y+18)+'px';
    }
    function hush(){tip.hidden=true}

    // The theme.
    var theme=$('theme'),root=document.documentElement,wish=matchMedia('(prefers-color-scheme:dark)');
    function isDark(){return (root.dataset.theme||(wish.matches?'dark':'light'))==='dark'}
    function nameTheme(){theme.textContent=isDark()?'Light':'Dark'}
    theme.hidden=false;nameTheme();
    theme.onclick=function(){root.dataset.theme=isDark()?'light':'dark';nameTheme()};
    if(wish.addEventListener)wish.addEventListener('change',nameTheme);

    // The command.
    var copy=$('copy');
    if(copy&&navigator.clipboard){
      copy.hidden=false;
      copy.onclick=function(){
        navigator.clipboard.writeText($('command').textContent).then(function(){
          copy.textContent='Copied';setTimeout(function(){copy.textContent='Copy'},1500)});
      };
    }

    // Marks of the diagram: where each is, and what it says.
    var marks=all('.mark',plot).map(function(e){
      var t=e.querySelector('title'),text=t?t.textContent:'',m={e:e,text:text};
      if(t){e.removeChild(t);e.setAttribute('aria-label',text)}
      if(e.tagName==='circle'){
        m.x1=m.x2=+e.getAttribute('cx');m.y1=m.y2=+e.getAttribute('cy');m.w=0;
      }else if(e.tagName==='rect'){
        m.x1=m.x2=+e.getAttribute('x');m.y1=+e.getAttribute('y');
        m.y2=m.y1+ +e.getAttribute('height');m.x3=m.x1+ +e.getAttribute('width');m.w=9;
      }else{
        var d=e.getAttribute('d'),n=d.match(/-?[\d.]+/g).map(Number);
        m.x1=n[0];m.y1=n[1];m.x2=m.x1;m.y2=m.y1;m.w=1;
        var second=/^M[^A-Za-z]+([LV])/.exec(d);
        if(second&&second[1]==='L'){m.x2=n[2];m.y2=n[3]}
        if(second&&second[1]==='V'){m.y2=n[2]}
        if(/crash|again|clock|pause|broken/.test(e.getAttribute('class'))){m.w=-2;m.y1+=5;m.y2+=5;m.x1+=2;m.x2+=2}
      }
      return m;
    });
    var order=marks.slice().sort(function(a,b){return a.x1-b.x1||a.y1-b.y1}),chosen=-1,hot=null;
    function far(m,x,y){
      if(m.w===9)return x>=m.x1&&x<=m.x3&&y>=m.y1&&y<=m.y2?11:99;
      var dx=m.x2-m.x1,dy=m.y2-m.y1,l=dx*dx+dy*dy;
      var k=l?Math.max(0,Math.min(1,((x-m.x1)*dx+(y-m.y1)*dy)/l)):0;
      return Math.hypot(x-m.x1-k*dx,y-m.y1-k*dy)+m.w;
    }
    function heat(m){
      if(hot)hot.e.classList.remove('hot');
      hot=m;if(m)m.e.classList.add('hot');
    }
    function spot(ev){
      var r=plot.getBoundingClientRect(),s=r.width/plot.viewBox.baseVal.width;
      return {x:(ev.clientX-r.left)/s,y:(ev.clientY-r.top)/s};
    }
    function nearest(p){
      var best=null,least=12;
      marks.forEach(function(m){var f=far(m,p.x,p.y);if(f<least){least=f;best=m}});
      return best;
    }
    plot.addEventListener('pointermove',function(ev){
      var m=nearest(spot(ev));heat(m);
      if(m)tell(m.text,ev.clientX,ev.clientY);else hush();
    });
    plot.addEventListener('pointerleave',function(){heat(null);hush()});
    plot.addEventListener('click',function(ev){
      var p=spot(ev),m=nearest(p);
      if(m){heat(m);chosen=order.indexOf(m);tell(m.text,ev.clientX,ev.clientY)}
      if(frames.length)show(frameAt((p.x-data.left)/data.width*data.end));
    });
    box.addEventListener('scroll',hush);
    box.addEventListener('blur',function(){heat(null);hush()});
    box.addEventListener('keydown',function(ev){
      var step={ArrowRight:1,ArrowLeft:-1}[ev.key];
      if(ev.key==='Escape'){heat(null);hush();return}
      if(!step||!order.length)return;
      ev.preventDefault();
      chosen=chosen<0?(step>0?0:order.length-1):Math.max(0,Math.min(order.length-1,chosen+step));
      var m=order[chosen];heat(m);
      var x=m.x1-box.scrollLeft;
      if(x<110||x>box.clientWidth-60)box.scrollLeft=m.x1-box.clientWidth/2;
      var r=plot.getBoundingClientRect();
      tell(m.text,Math.max(r.left+m.x1,8),r.top+m.y1);
    });
    document.addEventListener('keydown',function(ev){if(ev.key==='Escape')hush()});

    // The slider.
    var slider=$('slider'),cards=all('.state'),lives=['','is down','is stopped','is not there'];
    function frameAt(us){
      var best=0;
      frames.forEach(function(f,i){if(f[0]<=us)best=i});
      return best;
    }
    function fill(p,v){
      p.className=typeof v==='string'?'':'text';
      if(typeof v==='string'){p.textContent=v;return}
      p.textContent='';
      for(var i=0;i<v.length;i+=2){
        var s=document.createElement('span');
        s.className=v[i]<0?'by':'by a'+v[i]%10;
        s.title=v[i]<0?'unknown':'replica '+(v[i]+1);
        s.textContent=v[i+1];
        p.appendChild(s);
      }
    }
    function show(index){
      if(!slider)return;
      slider.value=index;
      var states=cards.map(function(){return [-1,-1,0]});
      for(var i=0;i<=index;i++){
        var c=frames[i][4];
        for(var j=0;j<c.length;j+=4)states[c[j]]=[c[j+1],c[j+2],c[j+3]];
      }
      var f=frames[index];
      cards.forEach(function(card,lane){
        var s=states[lane],same=s[0]===f[1],life=s[2];
        card.className='state '+(life===3?'away':(same?'agrees':'differs')+(life?' down':''));
        card.querySelector('.badge').textContent=lives[life]||(same?'agrees':'differs');
        card.querySelector('code').textContent=s[0]<0?'–':data.digests[s[0]];
        fill(card.querySelector('p'),s[1]<0?'':data.values[s[1]]);
      });
      var when=seconds(f[0]<1e6?f[0]:Math.round(f[0]/1e3)*1e3);
      $('moment').textContent='At '+when+': '+grouped(f[2])+' of '+grouped(f[3])+' replicas agree.';
      slider.setAttribute('aria-valuetext',when);
      var x=data.end?data.left+data.width*f[0]/data.end:data.left;
      cursor.setAttribute('x1',x);cursor.setAttribute('x2',x);
    }
    if(slider&&frames.length){
      var timer=0;
      var stop=function(){clearInterval(timer);timer=0;$('play').textContent='Play'};
      var go=function(step){show(Math.max(0,Math.min(frames.length-1,+slider.value+step)))};
      slider.oninput=function(){stop();show(+slider.value)};
      $('back').onclick=function(){stop();go(-1)};
      $('forth').onclick=function(){stop();go(1)};
      $('play').onclick=function(){
        if(timer)return stop();
        if(+slider.value===frames.length-1)show(0);
        $('play').textContent='Stop';
        timer=setInterval(function(){go(1);if(+slider.value===frames.length-1)stop()},
          Math.max(80,Math.min(700,20000/frames.length)));
      };
      show(frames.length-1);
    }

    // The charts.
    data.charts.forEach(function(chart){
      var figure=$(chart.id);if(!figure)return;
      var area=figure.querySelector('.area'),cross=document.createElement('div'),at=1;
      cross.className='cross';cross.hidden=true;area.appendChild(cross);
      function value(points,us){
        var v=points.length?points[1]:0;
        for(var i=0;i<points.length;i+=2){
          if(points[i]>us){
            if(!chart.step&&i)v=points[i-1]+(points[i+1]-points[i-1])*(us-points[i-2])/(points[i]-points[i-2]);
            break;
          }
          v=points[i+1];
        }
        return v;
      }
      function point(share,y){
        at=Math.max(0,Math.min(1,share));
        var us=at*chart.end,r=area.getBoundingClientRect();
        cross.hidden=false;cross.style.left=at*100+'%';
        tell(seconds(us>1e6?Math.round(us/1e4)*1e4:Math.round(us))+' — '+chart.lines.map(function(l){
          var v=value(l.points,us);
          return l.name+': '+(chart.bytes?bytes(v):grouped(v));
        }).join('; '),r.left+at*r.width,y);
      }
      function leave(){cross.hidden=true;hush()}
      ['pointermove','pointerdown'].forEach(function(name){
        area.addEventListener(name,function(ev){
          var r=area.getBoundingClientRect();point((ev.clientX-r.left)/r.width,ev.clientY);
        });
      });
      area.addEventListener('click',function(){if(frames.length)show(frameAt(at*chart.end))});
      area.addEventListener('pointerleave',leave);
      area.addEventListener('blur',leave);
      area.addEventListener('keydown',function(ev){
        var step={ArrowRight:.02,ArrowLeft:-.02}[ev.key];if(!step)return;
        ev.preventDefault();point(at+step,area.getBoundingClientRect().top);
      });
    });
    })();

    """#
}
