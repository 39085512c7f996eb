"""What other systems of WebGPU compute, by their names, and what here means the same.

Owns the lists: of webgpu-torch 0.4.0, wonnx 0.5.1 and later, MoxWebGPU 1.0.1 and volvoxai 0.1.0 to 0.4.0, as they are
published. Must not know what rows mean.
"""

from __future__ import annotations

from collections.abc import Iterator

from ops.spec import OpSpec
from ops.table import TABLE, find

FACES = "torch."
"""What a name begins with that is no row, but what scripts find in `torch`."""
_LISTS = {
    "webgpu-torch": """
        abs acos acosh asin asinh atan ceil floor round sign trunc cos cosh deg2rad exp exp2 expm1 frac log log10 log1p
        log2 neg positive rad2deg reciprocal relu rsqrt sigmoid silu sin sinc sinh sqrt square tan tanh
        add sub mul div pow atan2 copysign hypot ldexp logaddexp logaddexp2 xlogy
        sum mean prod norm all any countNonzero=count_nonzero
        absolute arccos arccosh arcsin arcsinh arctan arctan2 divide multiply negative subtract fix
        cat conv2d expand flatten gather linear matmul mm mv dot bmm reshape squeeze unsqueeze view=reshape t=torch.t
        detach=stop_gradient clone=torch.Tensor.clone numel=torch.numel reshapeAs=torch.Tensor.reshape_as
        viewAs=torch.Tensor.view_as uniform_=torch.Tensor.uniform_ zero_=torch.Tensor.zero_
        toArrayAsync=torch.Tensor.tolist tensor=torch.tensor empty=torch.empty ones=torch.ones zeros=torch.zeros
        noGrad=torch.no_grad Module=torch.nn.Module Parameter=torch.nn.Parameter Container=torch.nn.Module
        ModuleList=torch.nn.ModuleList Sequential=torch.nn.Sequential Linear=torch.nn.Linear ReLU=torch.nn.ReLU
        Sigmoid=torch.nn.Sigmoid SiLU=torch.nn.SiLU Tanh=torch.nn.Tanh Conv2d=torch.nn.Conv2d
        ConvTranspose2d=torch.nn.ConvTranspose2d AvgPooling2d=torch.nn.AvgPool2d GroupNorm=torch.nn.GroupNorm
        Constant=torch.tensor Concat=concat Gather=index_select MatMul Mul Reshape=reshape Shape=torch.Tensor.shape
        Unsqueeze=unsqueeze
    """,
    "wonnx": """
        Abs Acos Asin Atan Ceil Cos Cosh Exp Floor Log Round Sign Sin Sinh Sqrt Tan Tanh Reciprocal Acosh Asinh Atanh
        Neg Relu Sigmoid Softsign Softplus Clip Celu Elu LeakyRelu HardSigmoid Erf
        Add And Div Equal Greater GreaterOrEqual Less LessOrEqual Mod Mul Or Sub Pow PRelu Not Min=minimum
        ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum
        ReduceSumSquare Softmax BatchNormalization Conv ConvRelu=conv+relu ConvLeakyRelu=conv+leaky_relu
        ConvMish=conv+mish MaxPool AveragePool GlobalAveragePool Gemm MatMul Concat Split=torch.split
        Gather Transpose=permute Pad=pad Resize=interpolate OneHot=one_hot Cast Reshape Dropout=dropout Identity
        Flatten=flatten Squeeze=squeeze Unsqueeze=unsqueeze Slice=slice Range=arange Constant=torch.tensor
        ConstantOfShape=full Shape=torch.Tensor.shape Size=torch.numel
    """,
    "MoxWebGPU": """
        add sub mul div pow max(t)=maximum min(t)=minimum rsub rdiv=div clamp neg abs exp log sqrt sin cos tanh floor
        ceil relu sigmoid square sign sum mean max min maxReduce=max minReduce=min argmax argmin matmul transpose slice
        concat reshape expand softmax cast toFloat=cast tensor=torch.tensor toArray=torch.Tensor.tolist
        item=torch.Tensor.item
    """,
    "volvoxai": """
        MatMul Linear=linear Gemm BatchMatMul=bmm Conv2D=conv Conv1D=conv
        QConv2D=dequantize_per_tensor+conv_int8+quantize_per_tensor
        ConvTranspose2D=conv_transpose LayerNorm=layer_norm RMSNorm=rms_norm BatchNorm2D=batch_norm GroupNorm=group_norm
        SDPA=scaled_dot_product_attention CrossSDPA=scaled_dot_product_attention
        CrossAttention=torch.nn.MultiheadAttention Embedding=embedding MaxPool2D=max_pool AveragePool=avg_pool
        AveragePool2D=avg_pool GlobalAveragePool Resize=interpolate ResizeNearest2D=interpolate
        UpsampleNearest2D=interpolate Upsample2x=interpolate InterpLinear1D=interpolate Interp1D=interpolate
        ReLU=relu LeakyReLU=leaky_relu PReLU=prelu GELU=gelu SiLU=silu Swish=silu Sigmoid HardSwish HardSigmoid Tanh
        Clip Sin Cos Add Mul Sub Div Equal GreaterOrEqual Not Softmax LogSoftmax ReduceSum ReduceMean ArgMax
        Transpose=permute Concat Concat2=concat Split=torch.split Slice=slice Pad=pad Expand Broadcast=expand Reshape
        Flatten=flatten Squeeze=squeeze Unsqueeze=unsqueeze Gather GatherElements Where Mask=where Cast
        QuantizeLinear=quantize_per_tensor DequantizeLinear=dequantize_per_tensor
        RequantizeLinear=dequantize_per_tensor+quantize_per_tensor NonMaxSuppression
        SpatialSoftargmaxY=soft_argmax ProfileX=profile ProfileY=profile MeanHeight=mean Dropout=dropout Identity
        Shape=torch.Tensor.shape Size=torch.numel TopK=torch.topk
        RoPE=rotary_embedding RotaryEmbedding=rotary_embedding SSMScan=selective_scan
        SelectiveScan=selective_scan MoERouter=expert_weights
        MoELinear=expert_linear QLinear=linear_int8 QMatMul=linear_int8 QGemm=linear_int8
        QBatchMatMul=int_matmul+mul QSDPA=dequantize_per_tensor+scaled_dot_product_attention+quantize_per_tensor
        QLayerNorm=dequantize_per_tensor+layer_norm+quantize_per_tensor
        QGroupNorm=dequantize_per_tensor+group_norm+quantize_per_tensor
        QGELU=dequantize_per_tensor+gelu+quantize_per_tensor QSiLU=dequantize_per_tensor+silu+quantize_per_tensor
        QAdd=dequantize_per_tensor+add+quantize_per_tensor QEmbedding=index_select+mul
        QMaskedMean=dequantize_per_tensor+mul+sum+div+quantize_per_tensor QArgMax=argmax
    """,
}


def _read(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for word in text.split():
        theirs, _, ours = word.partition("=")
        names = (ours or theirs).split("+")
        yield theirs, tuple(name if name.startswith(FACES) else find(name).name for name in names)


PEERS: dict[str, dict[str, tuple[str, ...]]] = {system: dict(_read(text)) for system, text in _LISTS.items()}
"""Of each system its names, and the rows, or names of `torch` in scripts, that together mean the same."""


def peers_of(spec: OpSpec) -> dict[str, list[str]]:
    """The systems that have a row, each with its names for it."""
    found = {
        system: [theirs for theirs, ours in names.items() if ours == (spec.name,)]
        for system, names in PEERS.items()
    }
    return {system: names for system, names in found.items() if names}


def combined() -> dict[str, dict[str, tuple[str, ...]]]:
    """Of each system the names that are no row: several together, or a name of `torch`."""
    return {
        system: {theirs: ours for theirs, ours in names.items() if len(ours) > 1 or ours[0] not in TABLE}
        for system, names in PEERS.items()
    }
