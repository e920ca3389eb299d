"""Links and game IDs that have been published."""

KILLER = (
    "N4IgzglgXgpiBcBOANCA5gJwgEwQbT2AF9ljSSzKLryBdZQmq8l54+x1p7rjtn/nQaCR3PgIm9hk0UM6zR4rssX0QAawgAbLTAwBjAIZo48QiH0"
    "wdYfCABKARgDCDkKkdOATG/ueXPuz9vNQA3Qy0AV1MQBwAOEAoLKy0bM3tnAGYA5wAWbKcAVgC/ItDwqIQQTzzEy2tbDwA2Yqdmssjootrk1Lx0"
    "pwB2fPj2ivgY7276tI9EFrnR6Icu0iTpvrsMwYCtkdQwjsrmqZSGraz3LbzLwoCcpwv7AoeQRcrPVxPe+y3Xd3u/k9/O5nsF9uVop4sl8Go1gfY4"
    "WCQAcxiAVqA6qcZgN4XZYv43uMHJNVpjvnZELjKUiUUt0WssRscY88S9CSBjqSeg0cUV3PjrvZ8Xz7JS8uyHEMYTN7s0Qa0AnDBXY4SKVQr2Z4S"
    "RjuTKnPF/k45vKhvK9siIe8AAwJLnrBHbdxwg32HFy12OoUa8GHcaeTk6+12HHGr2himeiMuiMLH2ozzxIhqQz6AAuEBCMCcAHsAHZgVMYQwQXO"
    "p74AaW0ugwAAInMY4LQiEA=="
)
"""A killer sudoku of f-puzzles from the tests of another solver, which hold it to one solution."""


PUBLISHED = {
    # the examples of pzpr, one of each genre
    "https://puzz.link/p?slither/5/5/cbcbcddad": "1",
    "https://pzplus.tck.mn/p?mashu/6/6/1063000i3000": "1",
    "https://puzz.link/p?nonogram/6/6/12g1111h11112j12g11g21j11g3h": "1",
    "https://puzz.link/p?starbattle/6/6/1/4ilbhgdnmhou": "1",
    "https://puzz.link/p?skyscrapers/4/4/k13h4j3g": "1",
    "https://puzz.link/p?kakuro/5/5/48la0.na0lh3l0Bn.0cl.c4a3": "1",
    "https://pzprxs.vercel.app/p?numlin/5/5/1j2h3m1h2j3": "1",
    "http://pzv.jp/p.html?lightup/6/6/nekcakbl": "1",
    "https://puzz.link/p?hashikake/5/5/4g2i3h23k3g1g3g4g3": "1",
    "https://puzz.link/p?nurikabe/5/5/g5k2o1k3g": "1",
    "https://puzz.link/p?heyawake/6/6/lll155007rs12222j": "1",
    "https://puzz.link/p?type=player&sudoku_play/4/4/g1k23k3g": "1",
    # links that Penpa+ is tested with
    "https://puzz.link/p?bijutsukan/10/10/jbh.rchcpah.n.jbpchcp.jah": "1",
    "https://puzz.link/p?masyu/13/9/013009k10a3a39310c9313693i016030j039a20": "1",
    "https://puzz.link/p?pearl/v:/10/10/000000060i23601000000001i200f90000": "2+",
    "https://puzz.link/p?skyscraper/6/6/h4j2h2g3g3h4g5g2g2": "1",
    "https://puzz.link/p?slitherlink/9/9/233333332dk388583d8d38cg73d7c38212173d7c3721317c": "1",
    "https://puzz.link/p?slither/6/10/h1dgadddg1cgdddcg2cgddbdg1d": "1",
    "https://puzz.link/p?starbattle/10/10/2/l95las9vb5mmurbelo2m849c5gp068ci9029": "1",
    "https://puzz.link/p?kakuro/11/11/.6Bn.HDm4go3Er6go70mFOqj0Can6apOclg4lfapabna0h0qAdm3ModAr0Oo.m.0an..geajgTga74C"
    "Iac": "1",
    # games of Solo that people have shown
    "https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/solo.html#3x3:4a5c1a8b9_7c5e2b4a7b3a5b9a9b7b3a3b2a8b7a4b3e8c2"
    "_3b5a3c4a2": "1",
    "solo:3x3:b9_8a5a4_7b3d8a5a2a9d3b7c9k7c1b6d7a6a2a1d9b8_9a1a2_3b": "1",
    # of the pages of this collection
    "Light Up: 3x3:bBa1d": "0",
    "towers:3:3/2/1/1/2/2/3/2/1/1/2/2": "1",
    f"https://www.f-puzzles.com/?load={KILLER}": "1",
    f"https://sudokupad.app/fpuzzles{KILLER}": "1",
    # two givens on 9x9
    "https://f-puzzles.com/?load=N4IgzglgXgpiBcBOANCA5gJwgEwQbT2AF9ljSSzKLryBdZQmq8l54+x1kANwEMAbAK5x4ARlRoI3GADsEAF"
    "wzCmK1kQ5tVmug216VGrUbWG1ZyjwHCEAJglTZCpTAO7j+nZw/7atIkA=": "2+",
}
"""Links that have been published, and how many solutions the puzzle has."""
